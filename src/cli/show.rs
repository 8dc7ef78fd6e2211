//! `turnpoint show`: the messages themselves.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::RangeInclusive;

use serde_json::value::RawValue;

use super::exit::Exit;
use super::input::{self, OneInput, Run};
use super::output::{self, one_line};
use crate::extract::Config;
use crate::session::{Message, MsgIx, Part, PartBody, Session, visible};

/// Show messages as they stand, with native id, time and place
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: OneInput,
    /// Message or range: 352, 340.s1.3, 349..352, or a native id
    #[arg(value_name = "MSG[..MSG]")]
    messages: String,
    /// Print the records of the file instead, byte for byte
    #[arg(long)]
    raw: bool,
}

pub(crate) fn run(args: Args, run: &Run) -> anyhow::Result<Exit> {
    let inputs = args.input.args();
    let analysis = run.one(&inputs, &Config::default(), false)?;
    let session = &analysis.session;
    let range = input::range(session, &args.messages)?;
    if args.raw {
        return raw(session, run, &range);
    }
    let mut out = String::new();
    for (_, message) in session.iter().filter(|(ix, _)| range.contains(ix)) {
        show(&mut out, session, message)?;
    }
    output::print(&out)?;
    Ok(Exit::Done)
}

fn show(out: &mut String, session: &Session, message: &Message) -> std::fmt::Result {
    write!(out, "── {} · {} · {}", message.label.cite(), message.role.word(), message.kind.word())?;
    if let Some(at) = message.at {
        write!(out, " · {at}")?;
    }
    if let Some(model) = &message.model {
        write!(out, " · {}", one_line(model))?;
    }
    if message.abandoned {
        write!(out, " · on a branch that was left")?;
    }
    writeln!(out)?;
    let file = session.sources.get(message.place.file as usize).map_or("", |s| s.file.as_str());
    write!(out, "   {}:{}", visible(file).replace('\n', "⏎"), message.place.line)?;
    if let Some(id) = &message.native_id {
        write!(out, " · {}", one_line(id))?;
    }
    writeln!(out, "\n")?;
    message.parts.iter().try_for_each(|part| show_part(out, part))
}

fn show_part(out: &mut String, part: &Part) -> std::fmt::Result {
    match &part.body {
        PartBody::Text(text) => writeln!(out, "{}\n", visible(text)),
        PartBody::Injected(text) => writeln!(out, "(added by the program)\n{}\n", visible(text)),
        PartBody::Reasoning(text) => writeln!(out, "(reasoning)\n{}\n", visible(text)),
        PartBody::Attachment { name, bytes } => writeln!(out, "(attachment {}, {bytes} bytes)\n", one_line(name)),
        PartBody::Patch { files } => writeln!(out, "(patch of {})\n", one_line(&files.join(", "))),
        PartBody::Unknown { kind, raw } => {
            writeln!(out, "(unknown part `{}`)\n{}\n", one_line(kind), visible(&raw.to_string()))
        }
        PartBody::Call(call) => {
            writeln!(out, "▶ {} ({}) {}", one_line(&call.tool), call.kind.word(), one_line(&call.id))?;
            let input = serde_json::to_string_pretty(&call.input).unwrap_or_else(|_| call.input.to_string());
            writeln!(out, "{}", visible(&input))?;
            let Some(result) = &call.result else { return writeln!(out, "◀ no result in the transcript\n") };
            write!(out, "◀ {}", call.ended())?;
            if let Some(code) = result.exit_code {
                write!(out, ", exit code {code}")?;
            }
            if let Some(ms) = call.duration_ms {
                write!(out, ", {ms} ms")?;
            }
            if let Some(at) = result.at {
                write!(out, ", at {at}")?;
            }
            writeln!(out, "\n{}\n", visible(&result.text))
        }
    }
}

/// Prints the records that the messages were read from, in order of place, byte for byte.
fn raw(session: &Session, run: &Run, range: &RangeInclusive<MsgIx>) -> anyhow::Result<Exit> {
    let mut places = BTreeSet::new();
    for (_, message) in session.iter().filter(|(ix, _)| range.contains(ix)) {
        places.insert(message.place);
        places.extend(message.parts.iter().map(|p| p.place));
        places.extend(message.calls().filter_map(|c| Some(c.result.as_ref()?.place)));
    }
    // Those found before: standard input and pipes give their bytes only once.
    let files = run.inputs();
    let mut open: Option<(u32, Vec<u8>)> = None;
    for place in places {
        let name = session.sources.get(place.file as usize).map(|s| s.file.as_str());
        let Some(input) = files.iter().find(|f| Some(&*run.clean(&f.name)) == name) else { continue };
        let bytes = match &open {
            Some((file, bytes)) if *file == place.file => bytes,
            _ => &open.insert((place.file, input.read()?)).1,
        };
        let record = record(bytes.get(place.byte as usize..).unwrap_or_default());
        if run.redacts() { redacted(record, run)? } else { output::print_bytes(record)? }
    }
    Ok(Exit::Done)
}

/// Prints a record with its strings redacted. One that cannot be parsed is not shown: a secret may hide behind its escapes.
fn redacted(record: &[u8], run: &Run) -> anyhow::Result<()> {
    match serde_json::from_slice::<serde_json::Value>(record) {
        Ok(mut value) => {
            run.clean_value(&mut value);
            output::print(&format!("{value}\n"))
        }
        Err(_) => output::print(&format!("REDACTED-RECORD of {} bytes\n", record.len())),
    }
}

/// The JSON value that the bytes start with, over as many lines as it takes; else the line.
fn record(bytes: &[u8]) -> &[u8] {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<&RawValue>();
    match values.next() {
        Some(Ok(value)) => value.get().as_bytes(),
        _ => bytes.split(|b| *b == b'\n').next().unwrap_or_default(),
    }
}
