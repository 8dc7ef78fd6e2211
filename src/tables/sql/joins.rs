//! Rewrites joins that the engine does not know: `LEFT JOIN links l ON l.to_id = f.id AND l.kind = 'acts_on'`.
//!
//! The engine takes only conditions that compare the two sides. A condition on the joined table alone is the same as a
//! filter of that table before the join, for an inner and for a left join, so it is moved there:
//! `LEFT JOIN (SELECT * FROM links AS l WHERE l.kind = 'acts_on') AS l ON l.to_id = f.id`.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Join, JoinConstraint, JoinOperator, ObjectNamePart, Select, Statement, TableFactor, Visit,
    VisitMut, Visitor, VisitorMut,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

/// Rewrites every join of the statement; false when nothing was to be done.
pub(super) fn rewrite(statement: &mut Statement) -> bool {
    let mut joins = Joins { changed: false };
    let _: ControlFlow<()> = VisitMut::visit(statement, &mut joins);
    joins.changed
}

struct Joins {
    changed: bool,
}

impl VisitorMut for Joins {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for join in select.from.iter_mut().flat_map(|from| &mut from.joins) {
            self.changed |= push_down(join).is_some();
        }
        ControlFlow::Continue(())
    }
}

/// Moves the conditions on the joined table alone into a filter of it.
fn push_down(join: &mut Join) -> Option<()> {
    let name = name_of(&join.relation)?;
    let (JoinOperator::Join(constraint)
    | JoinOperator::Inner(constraint)
    | JoinOperator::Left(constraint)
    | JoinOperator::LeftOuter(constraint)) = &mut join.join_operator
    else {
        return None;
    };
    let JoinConstraint::On(on) = constraint else { return None };
    let (own, both): (Vec<Expr>, Vec<Expr>) = conjuncts(on.clone()).into_iter().partition(|e| is_about(e, &name));
    if own.is_empty() || both.is_empty() {
        return None;
    }
    let filter: Vec<String> = own.iter().map(|e| format!("({e})")).collect();
    let filtered = format!("(SELECT * FROM {} WHERE {}) AS {name}", join.relation, filter.join(" AND "));
    let relation = Parser::new(&GenericDialect).try_with_sql(&filtered).ok()?.parse_table_factor().ok()?;
    let mut left = both.into_iter();
    let first = left.next()?;
    *on = left.fold(first, |all, e| Expr::BinaryOp { left: all.into(), op: BinaryOperator::And, right: e.into() });
    join.relation = relation;
    Some(())
}

/// Name by which columns of a plain table are qualified.
fn name_of(factor: &TableFactor) -> Option<String> {
    let TableFactor::Table { name, alias, args: None, .. } = factor else { return None };
    match (alias, &name.0[..]) {
        (Some(alias), _) => Some(alias.name.value.clone()),
        (None, [ObjectNamePart::Identifier(ident)]) => Some(ident.value.clone()),
        _ => None,
    }
}

fn conjuncts(on: Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut open = vec![on];
    while let Some(expr) = open.pop() {
        match expr {
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => open.extend([*right, *left]),
            Expr::Nested(inner) => open.push(*inner),
            other => found.push(other),
        }
    }
    found
}

/// Whether every column of the expression is one of `table`, by its qualified name.
fn is_about(expr: &Expr, table: &str) -> bool {
    struct Columns<'t>(&'t str);
    impl Visitor for Columns<'_> {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            let own = match expr {
                Expr::Identifier(_) | Expr::Subquery(_) | Expr::InSubquery { .. } | Expr::Exists { .. } => false,
                Expr::CompoundIdentifier(parts) => parts.first().is_some_and(|p| p.value == self.0),
                _ => true,
            };
            if own { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        }
    }
    expr.visit(&mut Columns(table)).is_continue()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(sql: &str) -> Option<String> {
        let mut statement = Parser::parse_sql(&GenericDialect, sql).unwrap().remove(0);
        rewrite(&mut statement).then(|| statement.to_string())
    }

    #[test]
    fn a_condition_on_the_joined_table_becomes_its_filter() {
        let sql = "SELECT f.id FROM findings f LEFT JOIN links l ON l.to_id = f.id AND l.kind = 'acts_on'";
        let expected = "SELECT f.id FROM findings f LEFT JOIN (SELECT * FROM links l WHERE (l.kind = 'acts_on')) AS l ON l.to_id = f.id";
        assert_eq!(rewritten(sql).unwrap(), expected);
    }

    #[test]
    fn other_joins_stay() {
        for sql in [
            "SELECT 1 FROM a LEFT JOIN b ON a.x = b.x",
            "SELECT 1 FROM a LEFT JOIN b ON a.x = b.x AND a.y = 1",
            "SELECT 1 FROM a LEFT JOIN b ON a.x = b.x AND y = 1",
            "SELECT 1 FROM a FULL JOIN b ON a.x = b.x AND b.y = 1",
            "SELECT 1 FROM a RIGHT JOIN b ON a.x = b.x AND b.y = 1",
            "SELECT 1 FROM a LEFT JOIN b ON b.y = 1",
        ] {
            assert_eq!(rewritten(sql), None, "{sql}");
        }
    }
}
