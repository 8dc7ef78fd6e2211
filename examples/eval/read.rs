//! A sample to read by hand, the same each time: `eval -- read supported 50`, `… no-evidence 40`, `… acts-on 40`; a third
//! number leaves out so many of the first.

use turnpoint::analysis::{Analysis, analyse};
use turnpoint::extract::Config;
use turnpoint::link::claims::{Verdict, verdicts};
use turnpoint::link::{FactId, LinkKind};
use turnpoint::session::CallRef;

use crate::gold::Error;
use crate::sheet::{each_session, spread};

/// One row: its key, by which the sample is drawn, and what is printed.
type Row = (u64, String);

pub(crate) fn run() -> Result<(), Error> {
    let mut args = std::env::args().skip(2);
    let what = args.next().unwrap_or_default();
    let mut number = || args.next().and_then(|n| n.parse::<usize>().ok());
    let (take, skip) = (number().unwrap_or(50), number().unwrap_or(0));
    let mut rows: Vec<Row> = Vec::new();
    each_session(&["corpus"], |session| {
        let analysis = analyse(session, &Config::default(), false);
        let name = analysis.session.sources.first().map_or("", |s| s.file.as_str()).to_owned();
        match what.as_str() {
            "acts-on" => acts(&analysis, &name, &mut rows),
            _ => claims(&analysis, &name, &what, &mut rows),
        }
    });
    rows.sort();
    println!("{} rows", rows.len());
    rows.iter().skip(skip).take(take).for_each(|(_, row)| println!("{row}"));
    Ok(())
}

fn claims(a: &Analysis, name: &str, what: &str, rows: &mut Vec<Row>) {
    let all = verdicts(&a.facts, &a.links);
    let wanted = |v: &Verdict| v.word.word().replace(" found", "").replace(' ', "-") == what;
    for (claim, v) in a.facts.claims.iter().zip(all).filter(|(_, v)| wanted(v)) {
        let said = a.session.quote(&claim.span).unwrap_or("");
        let call = v.call.and_then(|c| a.facts.calls.get(c as usize)).map_or(String::new(), |r| shown(a, *r));
        let label = &a.session.message(claim.msg).label;
        let row = format!("## {name} msg {label} | {} | {said}{call}", claim.matter.word());
        rows.push((spread(&row), row));
    }
}

fn acts(a: &Analysis, name: &str, rows: &mut Vec<Row>) {
    for l in a.links.iter().filter(|l| l.kind == LinkKind::ActsOn) {
        let (FactId::Directive(d), FactId::Call(c)) = (l.to, l.from) else { continue };
        let directive = &a.facts.directives[d as usize];
        let label = &a.session.message(directive.msg).label;
        let row = format!("## {name} msg {label} | {}{}", directive.text, shown(a, a.facts.calls[c as usize]));
        rows.push((spread(&row), row));
    }
}

/// A call in two lines: what was asked of the tool, and the end of its result.
fn shown(a: &Analysis, at: CallRef) -> String {
    let Some(call) = a.session.call(at) else { return String::new() };
    let input = call.input.to_string().replace('\n', "⏎");
    let output = call.result.as_ref().map_or("", |r| r.text.as_str());
    let from = output.ceil_char_boundary(output.len().saturating_sub(300));
    let label = &a.session.message(at.msg).label;
    format!(
        "\n  > msg {label} {} {}\n  = {}",
        call.tool,
        &input[..input.floor_char_boundary(400)],
        output[from..].replace('\n', "⏎")
    )
}
