//! Stored queries: one file each; the first line says what it shows.

/// A stored query.
#[derive(Debug)]
pub struct Query {
    /// Name, without the colon.
    pub name: &'static str,
    /// The file: a comment line, then the SQL.
    pub text: &'static str,
}

/// Stored queries, in the order in which they are listed.
pub const QUERIES: &[Query] = &[
    Query { name: "tokens", text: include_str!("tokens.sql") },
    Query { name: "plan", text: include_str!("plan.sql") },
    Query { name: "open", text: include_str!("open.sql") },
    Query { name: "tools", text: include_str!("tools.sql") },
    Query { name: "failures", text: include_str!("failures.sql") },
    Query { name: "bench", text: include_str!("bench.sql") },
    Query { name: "findings", text: include_str!("findings.sql") },
    Query { name: "directives", text: include_str!("directives.sql") },
    Query { name: "audit", text: include_str!("audit.sql") },
    Query { name: "files", text: include_str!("files.sql") },
    Query { name: "sources", text: include_str!("sources.sql") },
];

impl Query {
    /// What it shows, in one sentence.
    pub fn about(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("-- ")
    }
}

/// The stored query of this name.
pub fn find(name: &str) -> Option<&'static Query> {
    QUERIES.iter().find(|q| q.name == name)
}
