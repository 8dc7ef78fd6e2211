//! One order of rows for one query: what ORDER BY leaves open is settled by the rows themselves.
//!
//! The engine sorts and groups in parallel, so rows that a query leaves equal would come in an order that depends on the
//! number of threads, and a LIMIT would cut elsewhere. The top of the query therefore gets further keys: without ORDER BY
//! `session_id`, `msg`, `id` where they are selected, then in any case all columns by position.

use polars_core::prelude::*;
use polars_lazy::prelude::*;
use polars_sql::SQLContext;
use sqlparser::ast::{Expr, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, Query, Statement, Value};

use super::names;

const FIRST: [&str; 3] = ["session_id", "msg", "id"];

/// The plan of a statement, its columns named and its order of rows made total where the engine takes that.
pub(super) fn plan(context: &mut SQLContext, sql: &str, statement: &Statement) -> PolarsResult<LazyFrame> {
    if let Some(named) = names::named(statement)
        && let Ok(frame) = total(context, &named.to_string(), &named)
    {
        return Ok(frame);
    }
    total(context, sql, statement)
}

fn total(context: &mut SQLContext, sql: &str, statement: &Statement) -> PolarsResult<LazyFrame> {
    let mut frame = context.execute(sql)?;
    let schema = frame.collect_schema()?;
    let Statement::Query(query) = statement else { return Ok(frame) };
    let ordered = ordered(query, &schema).and_then(|query| {
        let mut frame = context.execute(&query.to_string()).ok()?;
        // A rewritten query that no longer plans, or plans to other columns, is not used.
        (frame.collect_schema().ok()? == schema).then_some(frame)
    });
    Ok(ordered.unwrap_or(frame))
}

fn ordered(query: &Query, schema: &Schema) -> Option<Query> {
    let mut keys = match query.order_by.as_ref().map(|o| &o.kind) {
        None => Vec::new(),
        Some(OrderByKind::Expressions(keys)) => keys.clone(),
        Some(OrderByKind::All(_)) => return None,
    };
    let sortable: Vec<(usize, &str)> = schema
        .iter()
        .enumerate()
        .filter(|(_, (_, kind))| !kind.is_nested() && !kind.is_null())
        .map(|(at, (name, _))| (at + 1, name.as_str()))
        .collect();
    if keys.is_empty() {
        let first = FIRST.iter().filter_map(|key| sortable.iter().find(|(_, name)| name == key));
        keys.extend(first.map(|(at, _)| position(*at)));
    }
    keys.extend(sortable.iter().map(|(at, _)| position(*at)));
    let order = OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None };
    Some(Query { order_by: Some(order), ..query.clone() })
}

fn position(at: usize) -> OrderByExpr {
    let expr = Expr::value(Value::Number(at.to_string(), false));
    OrderByExpr { expr, options: OrderByOptions { asc: None, nulls_first: None }, with_fill: None }
}
