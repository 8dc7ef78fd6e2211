//! Says what happened in the session of an AI agent, and proves it message by message.
//!
//! The stages, in order; each is a pure function of the one before, and none looks back:
//!
//! 1. [`source`]: bytes → sessions, one file per transcript format.
//! 2. [`session`]: the normalised model.
//!    Between 2 and 3, when asked for, [`redact`] takes private text out.
//! 3. [`extract`]: session → facts, one file per kind of fact.
//! 4. [`link`]: facts → links between them.
//! 5. [`audit`]: facts and links → discrepancies, one file per rule.
//! 6. [`tables`]: rows for SQL, Parquet, CSV; [`report`]: Markdown, HTML and charts.
//! 7. [`verify`]: any narrative against the facts of its session.
//! 8. [`cli`]: the commands.
//!
//! [`analysis::analyse`] runs 3 to 5 for one session.

pub mod analysis;
pub mod audit;
pub mod cli;
pub mod diag;
pub mod error;
pub mod extract;
pub mod link;
pub mod redact;
pub mod report;
pub mod session;
pub mod source;
pub mod tables;
mod temp;
pub mod verify;
