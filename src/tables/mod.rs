//! Stage 6a: from analyses to rows. The only place that names polars (feature `polars`).
