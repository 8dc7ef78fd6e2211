//! The unit of work: one session, analysed.

use crate::audit::{self, Discrepancy, Evidence};
use crate::extract::{self, Config, Facts};
use crate::link::{self, Link};
use crate::session::Session;

/// A session with everything known of it.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// The session.
    pub session: Session,
    /// Its facts.
    pub facts: Facts,
    /// Links between the facts.
    pub links: Vec<Link>,
    /// Discrepancies, worst first.
    pub discrepancies: Vec<Discrepancy>,
}

/// Extracts, links and audits one session.
pub fn analyse(mut session: Session, config: &Config, experimental: bool) -> Analysis {
    let mut facts = extract::extract(&session, config);
    session.warnings.append(&mut facts.plan.warnings);
    let links = link::link(&session, &facts);
    let evidence = Evidence { session: &session, facts: &facts, links: &links };
    let discrepancies = audit::audit(&evidence, experimental);
    Analysis { session, facts, links, discrepancies }
}
