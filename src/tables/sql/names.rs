//! Names the columns of a result that the query leaves unnamed: `COUNT(*)`, not `len`; two literals, not `literal` twice.

use std::collections::BTreeSet;

use sqlparser::ast::{Expr, Ident, OrderByKind, SelectItem, SetExpr, Statement};

/// The statement with the unnamed columns of its top named by their own text; `None` when there are none.
pub(super) fn named(statement: &Statement) -> Option<Statement> {
    let mut statement = statement.clone();
    let Statement::Query(query) = &mut statement else { return None };
    let SetExpr::Select(select) = query.body.as_mut() else { return None };
    let mut used = BTreeSet::new();
    let mut named = Vec::new();
    for item in &mut select.projection {
        match item {
            SelectItem::ExprWithAlias { alias, .. } => {
                used.insert(alias.value.clone());
            }
            SelectItem::UnnamedExpr(expr) => {
                if column(expr).is_some_and(|name| used.insert(name.into())) {
                    continue;
                }
                let mut text = expr.to_string();
                while !used.insert(text.clone()) {
                    text.push('\'');
                }
                let alias = Ident::with_quote('"', text);
                named.push((expr.clone(), alias.clone()));
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
            _ => {}
        }
    }
    // Polars cannot order by an aggregate that stands in the result under another name.
    if let Some(OrderByKind::Expressions(order)) = query.order_by.as_mut().map(|o| &mut o.kind) {
        for by in order {
            if let Some((_, alias)) = named.iter().find(|(expr, _)| *expr == by.expr) {
                by.expr = Expr::Identifier(alias.clone());
            }
        }
    }
    (!named.is_empty()).then_some(statement)
}

/// The name that a plain column gives its result.
fn column(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Identifier(ident) => Some(&ident.value),
        Expr::CompoundIdentifier(parts) => parts.last().map(|p| p.value.as_str()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::dialect::GenericDialect;
    use sqlparser::parser::Parser;

    #[test]
    fn what_has_no_name_or_one_already_used_is_named_by_its_text() {
        let name = |sql| named(&Parser::parse_sql(&GenericDialect, sql).unwrap().remove(0)).map(|s| s.to_string());
        assert_eq!(name("SELECT a, b AS c, * FROM t"), None);
        assert_eq!(
            name("SELECT COUNT(*), 'x' FROM t").unwrap(),
            "SELECT COUNT(*) AS \"COUNT(*)\", 'x' AS \"'x'\" FROM t"
        );
        assert_eq!(
            name("SELECT COUNT(*) FROM t ORDER BY COUNT(*) DESC").unwrap(),
            "SELECT COUNT(*) AS \"COUNT(*)\" FROM t ORDER BY \"COUNT(*)\" DESC"
        );
        assert_eq!(name("SELECT f.msg, c.msg FROM t").unwrap(), "SELECT f.msg, c.msg AS \"c.msg\" FROM t");
        assert_eq!(name("SELECT 1, 1").unwrap(), "SELECT 1 AS \"1\", 1 AS \"1'\"");
    }
}
