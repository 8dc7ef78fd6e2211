//! Rows that set out a fact cell by cell: figures with their conditions, tokens of a model, bytes of a file.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Scene;
use crate::extract::bench::Measurement;
use crate::extract::bench::numbers::{self, Figure};
use crate::extract::bench::units::Unit;
use crate::extract::prose::re;
use crate::extract::tables::Table;
use crate::link::FactId;
use crate::session::{MsgIx, Role, SourceFile, Usage};
use crate::verify::article::Block;
use crate::verify::world::plain;
use crate::verify::{Finding, Kind};

/// `- `ttft` (concurrency 4, input_len 512): 88 ms in [msg 9]`
static CONDITIONS: LazyLock<Regex> =
    LazyLock::new(|| re(r"^`([a-z0-9_]+)` \(([^()]*\d[^()]*)\): ([^,;]*?)(?: in \[|,|;|$)"));

pub(super) fn check(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.sentence().block == Block::Prose {
        let Some(found) = CONDITIONS.captures(scene.text()) else { return Vec::new() };
        let Some(value) = numbers::of_cell(found[3].trim()) else { return Vec::new() };
        let named = scene.sentence().own.first().and_then(|r| scene.world.find(&r.first));
        let named: Vec<MsgIx> = named.into_iter().collect();
        return measured(scene, &found[2], &value, Some(&found[1]), &named).into_iter().collect();
    }
    if scene.sentence().block != Block::Row {
        return Vec::new();
    }
    let mut out: Vec<Finding> =
        [conditions(scene), tokens(scene), source(scene), quoted(scene)].into_iter().flatten().collect();
    out.extend(related(scene));
    out.extend(verbatim(scene));
    out
}

/// `concurrency 4, input_len 512`: the conditions of the figure in the same row.
fn conditions(scene: &Scene<'_>) -> Option<Finding> {
    let stated = scene.cell(&["conditions", "parameters"]).filter(|c| !c.is_empty() && *c != "–")?;
    let value = numbers::of_cell(scene.cell(&["measured", "value"])?)?;
    let metric = scene.cell(&["metric"]).map(|m| m.trim_matches('`'));
    let metric = metric.map(|m| m.split_once(" (").map_or(m, |s| s.0));
    let column = scene.message_column();
    let named = if column.is_empty() { scene.scope() } else { column };
    measured(scene, stated, &value, metric, &named)
}

/// The measurement of that value in the messages named, and whether it was made under these conditions.
fn measured(scene: &Scene<'_>, stated: &str, value: &Figure, metric: Option<&str>, named: &[MsgIx]) -> Option<Finding> {
    let bench = &scene.world.analysis.facts.bench;
    let same = |m: &&Measurement| {
        let unit = m.unit.as_deref().and_then(Unit::parse);
        let values = [m.value, m.lo, m.hi].into_iter().flatten();
        let equal = |v: f64| {
            let v = match (&unit, &value.unit) {
                (Some(a), Some(b)) => a.convert(v, b).unwrap_or(f64::NAN),
                _ => v,
            };
            (v - value.value).abs() <= 0.5 * 10f64.powi(-i32::from(value.decimals)) + v.abs() * 1e-9
        };
        (named.is_empty() || named.contains(&m.msg))
            && metric.is_none_or(|n| m.metric == n)
            && values.into_iter().any(equal)
    };
    let found: Vec<&Measurement> = bench.measurements.iter().filter(same).collect();
    let first = found.first()?;
    let shown = |m: &Measurement| {
        let all = m.params.iter().chain(m.conditions.iter().flat_map(|c| &c.1));
        all.map(|(k, v)| format!("{} {v}", k.replace('_', " "))).collect::<Vec<_>>()
    };
    let wanted = stated.replace('_', " ");
    let fits = |m: &&&Measurement| {
        let mut parts = shown(m);
        parts.sort_by_key(|p| std::cmp::Reverse(p.len()));
        let mut rest = wanted.clone();
        for part in &parts {
            if let Some(at) = rest.find(&part.replace('_', " ")) {
                rest.replace_range(at..at + part.len(), "");
            }
        }
        !rest.chars().any(|c| c.is_ascii_digit())
    };
    Some(match found.iter().find(fits) {
        Some(m) => Finding::supported(Kind::Number, "measured under these conditions").shown_by([m.msg]),
        None => Finding::contradicted(Kind::Number, format!("the conditions are: {}", shown(first).join(", ")))
            .shown_by([first.msg]),
    })
}

/// A row of a table that stands in the session: it has a row like it.
fn quoted(scene: &Scene<'_>) -> Option<Finding> {
    let sentence = scene.sentence();
    let same = |a: &str, b: &str| plain(a).eq_ignore_ascii_case(&plain(b));
    let scope = scene.lead_in().map(|s| scene.world.expand(&s.own)).unwrap_or_default();
    let tables = scene.world.analysis.facts.tables.iter().filter(|t| scope.contains(&t.span.msg));
    let mut like = tables.filter(|t| {
        t.header.len() == sentence.head.len() && t.header.iter().zip(&sentence.head).all(|(a, b)| same(&a.text, b))
    });
    let first = like.next()?;
    let cells: Vec<&str> = sentence.cells().collect();
    let is_row = |t: &Table| {
        t.rows.iter().any(|r| r.len() == cells.len() && r.iter().zip(&cells).all(|(a, b)| same(&a.text, b)))
    };
    Some(match is_row(first) || like.any(is_row) {
        true => Finding::supported(Kind::Quote, "the row stands in the table").shown_by([first.span.msg]),
        false => Finding::contradicted(Kind::Quote, "the table has no such row").shown_by([first.span.msg]),
    })
}

/// Messages beside a finding, an item, a directive or an option: each is linked with it.
fn related(scene: &Scene<'_>) -> Vec<Finding> {
    let Some((fact, own, name)) = subject(scene) else { return Vec::new() };
    let analysis = scene.world.analysis;
    let mut near: BTreeSet<MsgIx> = own.into_iter().collect();
    for link in analysis.links.iter().filter(|l| fact.contains(&l.from) || fact.contains(&l.to)) {
        near.extend([link.from_msg, link.to_msg]);
        // An item that mirrors a directive brings its own evidence along.
        for end in [link.from, link.to] {
            if let FactId::Item(n) = end {
                near.extend(item_messages(scene, n));
            }
        }
    }
    let named = scene.sentence().own.iter().filter(|r| r.last.is_none()).filter_map(|r| scene.world.find(&r.first));
    let mut out = Vec::new();
    for at in named.filter(|at| Some(*at) != scene.subject) {
        if !near.contains(&at) {
            let reason = format!("nothing links {name} with [msg {}]", scene.world.label(at));
            out.push(Finding::contradicted(Kind::Reference, reason).shown_by([at]));
        }
    }
    if out.is_empty() && !near.is_empty() {
        out.push(
            Finding::supported(Kind::Reference, format!("the messages are those of {name}"))
                .shown_by(near.into_iter().take(3)),
        );
    }
    out
}

/// The facts that a row is about, the messages they stand in, and how to call them.
fn subject(scene: &Scene<'_>) -> Option<(Vec<FactId>, Vec<MsgIx>, String)> {
    let facts = &scene.world.analysis.facts;
    let same = |a: &str, b: &str| {
        let (a, b) = (plain(a).to_lowercase(), plain(b).to_lowercase());
        a == b || b.strip_suffix('…').is_some_and(|cut| a.starts_with(cut))
    };
    let of = |found: Vec<(FactId, MsgIx)>, name: &str| {
        let (ids, msgs): (Vec<FactId>, Vec<MsgIx>) = found.into_iter().unzip();
        (!ids.is_empty()).then(|| (ids, msgs, format!("“{name}”")))
    };
    if let Some(title) = scene.cell(&["finding"]) {
        let all = (0..).zip(&facts.findings.findings).filter(|(_, f)| same(&f.title, title));
        return of(all.map(|(n, f)| (FactId::Finding(n), f.msg)).collect(), title);
    }
    if let Some(text) = scene.cell(&["directive"]) {
        let text = text.split('”').next().unwrap_or(text).trim_start_matches('“');
        let all = (0..).zip(&facts.directives).filter(|(_, d)| same(&d.text, text));
        return of(all.map(|(n, d)| (FactId::Directive(n), d.msg)).collect(), text);
    }
    if let Some(text) = scene.cell(&["option"]) {
        let options = facts.options.iter().flat_map(|l| l.options.iter().map(move |o| (l.msg, o)));
        let all = (0..).zip(options).filter(|(_, (_, o))| same(&o.text, text));
        return of(all.map(|(n, (msg, _))| (FactId::Option(n), msg)).collect(), text);
    }
    let item = scene.cell(&["item"])?;
    let label = item.split([' ', '(']).next()?;
    let n = facts.plan.items.iter().position(|i| i.label == label)? as u32;
    let msgs = item_messages(scene, n);
    Some((vec![FactId::Item(n)], msgs, label.to_owned()))
}

/// Messages that changed an item, and those whose calls bear on it.
fn item_messages(scene: &Scene<'_>, item: u32) -> Vec<MsgIx> {
    let transitions = scene.world.analysis.facts.plan.transitions.iter();
    let own = transitions.filter(|t| t.item.is_some_and(|i| i.0 == item));
    own.flat_map(|t| t.evidence.iter().map(|e| e.call.msg).chain([t.msg])).collect()
}

/// Bytes of the cells that give words of the session as they stand there: figures in them are quoted.
pub(super) fn verbatim_cells(scene: &Scene<'_>) -> Vec<Range<usize>> {
    const HEADS: &[&str] = &["option", "finding", "directive", "it says", "last line of the output"];
    let sentence = scene.sentence();
    let cells = sentence.head.iter().zip(&sentence.cells).filter(|(h, _)| HEADS.contains(&&*h.to_lowercase()));
    let stands = |cell: &Range<usize>| {
        let words = plain(&sentence.text[cell.clone()]).to_lowercase();
        let words = words.trim_matches(['“', '”', '"', ' ']).trim_end_matches('…');
        !words.is_empty() && scene.world.holding(words).next().is_some()
    };
    cells.map(|(_, cell)| cell.clone()).filter(stands).collect()
}

/// Cells that give words of the session: the last line of an output, an option.
fn verbatim(scene: &Scene<'_>) -> Option<Finding> {
    let words = scene.cell(&["last line of the output", "option", "it says"])?;
    let words = plain(words).to_lowercase();
    let words = words.trim_matches(['“', '”', '"', ' ']).trim_end_matches('…');
    if words.len() < 4 || words == "no text" {
        return None;
    }
    let named = scene.world.expand(&scene.sentence().own);
    let here = |ix: &MsgIx| scene.world.text(*ix).contains(words);
    Some(match named.iter().copied().find(here).or_else(|| scene.world.holding(words).next()) {
        Some(at) => Finding::supported(Kind::Quote, "the words stand there").shown_by([at]),
        None => Finding::contradicted(Kind::Quote, format!("“{words}” stands in no message")),
    })
}

/// Tokens of a model, added up over its replies; where none has its own, those of the whole session.
fn tokens(scene: &Scene<'_>) -> Option<Finding> {
    let model = scene.cell(&["model"])?.trim_matches('`');
    let of_model = |m: &&crate::session::Message| m.model.as_deref() == Some(model) && m.role == Role::Assistant;
    let whole_session = scene.world.session().totals.get(if model == "not named" { "" } else { model });
    let sum = |get: fn(&Usage) -> Option<u64>, all: bool| -> u64 {
        let messages = scene.world.session().messages.iter().filter(of_model).filter(|m| all || !m.abandoned);
        messages.map(|m| &m.usage).chain(whole_session).filter_map(get).sum()
    };
    type Column = (&'static str, fn(&Usage) -> Option<u64>);
    let columns: [Column; 4] = [
        ("input", |u| u.input),
        ("from cache", |u| u.cache_read),
        ("to cache", |u| u.cache_write),
        ("output", |u| u.output),
    ];
    let stated: Vec<(Column, u64)> =
        columns.into_iter().filter_map(|c| Some((c, whole(scene.cell(&[c.0])?)?))).collect();
    if stated.is_empty() {
        return None;
    }
    let wrong = stated.iter().find(|((_, get), n)| sum(*get, true) != *n && sum(*get, false) != *n);
    Some(match wrong {
        None => Finding::supported(Kind::Count, "the tokens add up so"),
        Some(((name, get), n)) => {
            Finding::contradicted(Kind::Count, format!("{name}: {n} stated, {} counted", sum(*get, true)))
        }
    })
}

/// Bytes and records of a file read.
fn source(scene: &Scene<'_>) -> Option<Finding> {
    let file = scene.cell(&["file"])?.trim_matches('`');
    let source = scene.world.session().sources.iter().find(|s| s.file == file)?;
    scene.cell(&["bytes read"])?;
    type Column = (&'static str, fn(&SourceFile) -> u64);
    let facts: [Column; 5] = [
        ("bytes read", |s| s.bytes_read),
        ("used", |s| s.bytes_used),
        ("records", |s| s.records),
        ("kept", |s| s.kept),
        ("copies", |s| s.copies),
    ];
    let wrong =
        facts.into_iter().find(|(name, get)| scene.cell(&[name]).and_then(whole).is_some_and(|n| n != get(source)));
    Some(match wrong {
        None => Finding::supported(Kind::Count, "the file was read so"),
        Some((name, get)) => Finding::contradicted(Kind::Count, format!("{name}: {} counted", get(source))),
    })
}

/// A whole number, with or without marks between groups.
fn whole(cell: &str) -> Option<u64> {
    let digits: String = cell.chars().filter(|c| !matches!(c, ' ' | ',' | '\u{202f}' | '\u{a0}')).collect();
    digits.parse().ok()
}
