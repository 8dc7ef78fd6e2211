//! Stage 6b: from analyses to documents.
//!
//! Each [`section`] makes plain values from an [`crate::analysis::Analysis`]; the sentences that hold them stand in `templates/`; charts are drawn by [`chart`]. Nothing here looks for facts.

pub(crate) mod against;
pub mod audit;
pub mod chart;
pub mod comparison;
pub mod document;
pub mod engine;
pub mod explain;
pub mod html;
pub mod narrator;
pub mod plan;
pub mod sarif;
pub mod section;
pub mod sentence;
pub mod text;
