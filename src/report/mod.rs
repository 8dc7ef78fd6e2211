//! Stage 6b: from analyses to documents.
//!
//! [`view`](self) models are plain values made from an [`crate::analysis::Analysis`]; the sentences that hold them stand in
//! `templates/`; charts are drawn by [`chart`]. Nothing here looks for facts.

pub mod chart;
pub mod engine;
pub mod text;
