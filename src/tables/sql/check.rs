//! What may run: one SELECT, WITH … SELECT, EXPLAIN or SHOW TABLES over known tables.
//!
//! The text is refused before any of it reaches the engine, which would happily read files and change tables.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, ObjectName, ObjectNamePart, Query, Select, SetExpr, Statement, TableFactor, Visit, Visitor,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError, ParserOptions};
use sqlparser::tokenizer::{Token, Tokenizer};

use crate::tables::{self, TABLES, Table, nearest};

/// Longest query, in bytes.
const MAX_BYTES: usize = 32 * 1024;
/// Deepest nesting of expressions and subqueries.
const MAX_DEPTH: usize = 64;
/// Most operators: a chain of them nests as deep as it is long, before its depth can be measured.
const MAX_OPERATORS: usize = 1000;

/// A statement that may run, and the tables it names.
pub(super) struct Checked {
    pub(super) statement: Statement,
    pub(super) tables: Vec<&'static Table>,
}

/// Parses and checks a query; the error says what to write instead.
pub(super) fn check(sql: &str) -> Result<Checked, String> {
    if sql.len() > MAX_BYTES {
        return Err(format!("the query has {} bytes; at most {MAX_BYTES} are taken", sql.len()));
    }
    if sql.contains('\0') {
        return Err("the query holds a NUL character".into());
    }
    tokens(sql)?;
    let options = ParserOptions { trailing_commas: true, ..ParserOptions::default() };
    let parser = Parser::new(&GenericDialect).with_options(options).with_recursion_limit(MAX_DEPTH);
    let mut statements =
        parser.try_with_sql(sql).and_then(|mut p| p.parse_statements()).map_err(|e| syntax_error(&e))?;
    let (Some(statement), true) = (statements.pop(), statements.is_empty()) else {
        return Err(ONE_STATEMENT.into());
    };
    let inner = match &statement {
        Statement::Query(_) => &statement,
        Statement::Explain { statement: inner, .. } if matches!(**inner, Statement::Query(_)) => inner,
        Statement::ShowTables { .. } => return Ok(Checked { statement, tables: TABLES.iter().collect() }),
        other => {
            let word = other.to_string().split_whitespace().next().unwrap_or_default().to_uppercase();
            return Err(format!("{word} is refused: {ONE_STATEMENT}"));
        }
    };
    let mut walk = Walk::default();
    if let ControlFlow::Break(reason) = inner.visit(&mut walk) {
        return Err(reason);
    }
    let tables = walk.tables()?;
    Ok(Checked { statement, tables })
}

const ONE_STATEMENT: &str =
    "one SELECT, WITH … SELECT, EXPLAIN or SHOW TABLES is taken; `turnpoint schema` lists the tables";

fn syntax_error(error: &ParserError) -> String {
    match error {
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => {
            format!("syntax error: {}", text.trim_start_matches("sql parser error: "))
        }
        ParserError::RecursionLimitExceeded => TOO_DEEP.into(),
    }
}

const TOO_DEEP: &str =
    "the query nests deeper than 64 levels; write IN (…) for long chains of OR, or split it with WITH";

/// Measures nesting before the parser, which recurses, sees the text.
fn tokens(sql: &str) -> Result<(), String> {
    let tokens = Tokenizer::new(&GenericDialect, sql).tokenize().map_err(|e| format!("syntax error: {e}"))?;
    let (mut depth, mut operators) = (0usize, 0);
    for token in &tokens {
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth = depth.saturating_sub(1),
            Token::Word(word) => match word.keyword {
                Keyword::CASE => depth += 1,
                Keyword::END => depth = depth.saturating_sub(1),
                Keyword::AND | Keyword::OR | Keyword::NOT | Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT => {
                    operators += 1;
                }
                Keyword::JOIN | Keyword::IS | Keyword::LIKE | Keyword::IN => operators += 1,
                _ => {}
            },
            Token::Comma
            | Token::Whitespace(_)
            | Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::Period
            | Token::SemiColon
            | Token::EOF => {}
            _ => operators += 1,
        }
        if depth > MAX_DEPTH {
            return Err(TOO_DEEP.into());
        }
        if operators > MAX_OPERATORS {
            return Err(format!("the query has more than {MAX_OPERATORS} operators; write IN (…) for long chains"));
        }
    }
    Ok(())
}

#[derive(Default)]
struct Walk {
    depth: usize,
    relations: BTreeSet<String>,
    ctes: BTreeSet<String>,
}

impl Walk {
    fn deeper(&mut self) -> ControlFlow<String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { ControlFlow::Break(TOO_DEEP.into()) } else { ControlFlow::Continue(()) }
    }

    /// The tables among the names used.
    fn tables(self) -> Result<Vec<&'static Table>, String> {
        let mut found = Vec::new();
        for name in self.relations.difference(&self.ctes) {
            let Some(table) = tables::find(name) else {
                let names: Vec<&str> = TABLES.iter().map(|t| t.name).collect();
                let hint = nearest(name, names.iter().copied()).map_or(String::new(), |n| format!(" (`{n}`?)"));
                return Err(format!("no table `{name}`{hint}; the tables are {}", names.join(", ")));
            };
            found.push(table);
        }
        Ok(found)
    }
}

impl Visitor for Walk {
    type Break = String;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<String> {
        if let Some(with) = &query.with {
            if with.recursive {
                return ControlFlow::Break("WITH RECURSIVE is refused".into());
            }
            self.ctes.extend(with.cte_tables.iter().map(|cte| cte.alias.name.value.clone()));
        }
        if !query.locks.is_empty() || !query.pipe_operators.is_empty() || query.settings.is_some() {
            return ControlFlow::Break("locks, settings and pipes are refused".into());
        }
        if let SetExpr::Table(table) = query.body.as_ref() {
            self.relations.extend(table.table_name.clone());
        }
        self.deeper()
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<String> {
        self.deeper()
    }

    fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<String> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<String> {
        if select.into.is_some() {
            return ControlFlow::Break(format!("SELECT INTO is refused: {ONE_STATEMENT}"));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<String> {
        match statement {
            Statement::Query(_) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(format!("a change of data inside a query is refused: {ONE_STATEMENT}")),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<String> {
        let plain = match factor {
            TableFactor::Table { args, .. } => args.is_none(),
            TableFactor::Derived { .. } | TableFactor::NestedJoin { .. } => true,
            _ => false,
        };
        if plain {
            return ControlFlow::Continue(());
        }
        let shown: String = factor.to_string().chars().take(60).collect();
        ControlFlow::Break(format!("table functions are refused: {shown}; `turnpoint schema` lists the tables"))
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<String> {
        match &name.0[..] {
            [ObjectNamePart::Identifier(ident)] => {
                self.relations.insert(ident.value.clone());
            }
            _ => {
                self.relations.insert(name.to_string());
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(sql: &str) -> String {
        check(sql).err().unwrap_or_else(|| panic!("not refused: {sql}"))
    }

    #[test]
    fn only_the_tables_named_are_built() {
        let names = |sql| check(sql).map(|c| c.tables.iter().map(|t| t.name).collect::<Vec<_>>());
        assert_eq!(names("SELECT 1"), Ok(vec![]));
        assert_eq!(names("SELECT * FROM messages m JOIN links l ON l.from_id = m.id;"), Ok(vec!["links", "messages"]));
        let sql = "WITH x AS (SELECT * FROM findings) SELECT * FROM x WHERE id IN (SELECT to_id FROM links)";
        assert_eq!(names(sql), Ok(vec!["findings", "links"]));
        assert_eq!(names("EXPLAIN SELECT * FROM messages"), Ok(vec!["messages"]));
    }

    #[test]
    fn what_reads_files_or_changes_data_is_refused() {
        for sql in [
            "",
            ";",
            "SELECT 1; SELECT 2",
            "SELECT 1; DROP TABLE messages",
            "INSERT INTO messages SELECT * FROM messages",
            "UPDATE messages SET text = 'x'",
            "CREATE TABLE t AS SELECT 1",
            "DELETE FROM messages",
            "DROP TABLE messages",
            "TRUNCATE TABLE messages",
            "SELECT * FROM read_csv('x')",
            "SELECT * FROM messages WHERE id IN (SELECT a FROM read_parquet('x'))",
            "WITH x AS (SELECT * FROM read_ipc('x')) SELECT * FROM x",
            "SELECT * FROM 'secret.csv'",
            "SELECT * FROM a.messages",
            "SELECT * INTO t FROM messages",
            "EXPLAIN DROP TABLE messages",
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c",
            "COPY messages TO 'x'",
            "ATTACH 'x' AS y",
            "SET a = 1",
            "SELECT 1 \0 SELECT 2",
        ] {
            refused(sql);
        }
    }

    #[test]
    fn depth_is_bounded_and_nothing_overflows() {
        let nested = |n: usize| format!("SELECT {}1{}", "(".repeat(n), ")".repeat(n));
        assert!(check(&nested(30)).is_ok());
        for sql in [
            nested(65),
            nested(10_000),
            format!("SELECT 1{}", "+1".repeat(100)),
            format!("SELECT 1{}", "+1".repeat(10_000)),
            format!("SELECT {}1", "NOT ".repeat(900)),
            format!("SELECT {}1", "- ".repeat(900)),
            format!("SELECT {}1{}", "CASE WHEN 1=1 THEN ".repeat(300), " END".repeat(300)),
            "SELECT 1 UNION ".repeat(1500),
            "(".repeat(9000),
        ] {
            refused(&sql);
        }
    }

    #[test]
    fn errors_say_what_to_write() {
        assert!(refused("SELECT * FROM message").contains("(`messages`?)"));
        assert!(refused("SELECT * FROM nothing_like_it").contains("the tables are sources, sessions"));
        assert!(refused("SELEC 1").contains("Line: 1, Column: 1"), "{}", refused("SELEC 1"));
        assert!(refused("DROP TABLE messages").starts_with("DROP is refused"));
    }
}
