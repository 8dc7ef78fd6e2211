//! Stage 6b: from analyses to documents.
