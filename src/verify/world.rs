//! What an article is checked against: the session's texts and its facts, indexed by message.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::analysis::Analysis;
use crate::extract::bench::Measurement;
use crate::extract::bench::numbers::{self, Figure};
use crate::extract::bench::units::Unit;
use crate::extract::plan::ItemIx;
use crate::extract::plan::evidence::efforts;
use crate::report::plan::completion;
use crate::session::{Label, Message, MsgIx, PartBody, Role, Session, ToolKind};

use super::refs::Reference;

/// A session, ready to be asked.
pub(super) struct World<'a> {
    /// The session and its facts.
    pub(super) analysis: &'a Analysis,
    labels: BTreeMap<Label, MsgIx>,
    /// Numbers of the first and the last message of the main thread.
    main: Option<(u64, u64)>,
    texts: Vec<OnceLock<String>>,
    figures: Vec<OnceLock<Vec<Known>>>,
    took: OnceLock<BTreeMap<ItemIx, Vec<String>>>,
}

/// A figure that stands in a message.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Known {
    /// The number.
    pub(super) value: f64,
    /// Its unit.
    pub(super) unit: Unit,
}

impl Known {
    /// The value of a measurement, when it has one and its unit is known.
    pub(super) fn measured(measurement: &Measurement) -> Option<Self> {
        let unit = measurement.unit.as_deref().and_then(Unit::parse)?;
        Some(Self { value: measurement.value?, unit })
    }
}

impl<'a> World<'a> {
    /// What the completions of an item took, in the words of a report.
    pub(super) fn took(&self, item: ItemIx) -> &[String] {
        let (session, plan) = (&self.analysis.session, &self.analysis.facts.plan);
        let all = self.took.get_or_init(|| {
            let mut out: BTreeMap<ItemIx, Vec<String>> = BTreeMap::new();
            for (at, effort) in efforts(session, plan) {
                let item = plan.transitions[at].item;
                item.into_iter().for_each(|i| out.entry(i).or_default().push(completion::took(&effort)));
            }
            out
        });
        all.get(&item).map_or(&[], Vec::as_slice)
    }

    /// Indexes a session.
    pub(super) fn new(analysis: &'a Analysis) -> Self {
        let session = &analysis.session;
        let labels = session.iter().map(|(ix, m)| (m.label.clone(), ix)).collect();
        let mut on_main = session.messages.iter().filter(|m| m.label.sub.is_empty()).map(|m| m.label.msg);
        let n = session.messages.len();
        Self {
            analysis,
            main: on_main.next().map(|first| (first, on_main.next_back().unwrap_or(first))),
            labels,
            texts: (0..n).map(|_| OnceLock::new()).collect(),
            figures: (0..n).map(|_| OnceLock::new()).collect(),
            took: OnceLock::new(),
        }
    }

    /// The session.
    pub(super) fn session(&self) -> &'a Session {
        &self.analysis.session
    }

    /// The message with this number.
    pub(super) fn find(&self, label: &Label) -> Option<MsgIx> {
        self.labels.get(label).copied()
    }

    /// The message at a position.
    pub(super) fn message(&self, ix: MsgIx) -> &'a Message {
        self.analysis.session.message(ix)
    }

    /// The number of a message, as shown.
    pub(super) fn label(&self, ix: MsgIx) -> String {
        self.message(ix).label.to_string()
    }

    /// Every message that references name; ranges hold the messages of the main thread between their ends, and those of
    /// the subagents started there.
    pub(super) fn expand(&self, references: &[Reference]) -> Vec<MsgIx> {
        let mut out = Vec::new();
        for r in references {
            match &r.last {
                None => out.extend(self.find(&r.first)),
                Some(last) => {
                    // A subagent whose caller is not known worked at some time of the whole.
                    let whole = Some(last.msg) == self.main.map(|m| m.1) && Some(r.first.msg) == self.main.map(|m| m.0);
                    let within = |l: &Label| {
                        *l >= r.first && (l <= last || l.msg == last.msg && l.sub.starts_with(&last.sub))
                            || whole && l.msg == 0
                    };
                    out.extend(self.labels.iter().filter(|(l, _)| within(l)).map(|(_, &ix)| ix));
                }
            }
        }
        out.sort();
        out.dedup();
        out
    }

    /// Everything that stands in a message, plain, on one line, in lower case: what was said, what calls were given, what
    /// they printed.
    pub(super) fn text(&self, ix: MsgIx) -> &str {
        self.texts[ix.at()].get_or_init(|| {
            let message = self.message(ix);
            let mut all = all_text(message);
            // What was said before and after a call reads on.
            if message.texts().nth(1).is_some() {
                line(&mut all, &message.text());
            }
            plain(&all).to_lowercase()
        })
    }

    /// Whether somebody said these words in a message: the agent in its text and in what it gave to tools, the user in a
    /// message of his own or in an answer to a question that a tool asked.
    pub(super) fn said_by(&self, ix: MsgIx, role: Role, pieces: &[String]) -> bool {
        let message = self.message(ix);
        let holds = |text: &str| {
            let text = plain(text).to_lowercase();
            let mut rest = text.as_str();
            pieces.iter().all(|p| rest.find(p.as_str()).map(|n| rest = &rest[n + p.len()..]).is_some())
        };
        let own = message.role == role;
        message.parts.iter().any(|p| match &p.body {
            PartBody::Text(t) | PartBody::Reasoning(t) => own && holds(t),
            PartBody::Call(call) => {
                let asked = call.kind == ToolKind::Ask && role == Role::User;
                let answer = call.result.as_ref().filter(|_| asked).map_or("", |r| &r.text);
                let mut input = String::new();
                strings(&mut input, &call.input);
                own && holds(&input) || holds(answer)
            }
            _ => false,
        })
    }

    /// Figures with units in a message: as written there, and as its tables give them.
    pub(super) fn figures(&self, ix: MsgIx) -> &[Known] {
        self.figures[ix.at()].get_or_init(|| {
            let mut out: Vec<Known> = numbers::with_units(&all_text(self.message(ix))).iter().flat_map(known).collect();
            let bench = &self.analysis.facts.bench;
            for m in bench.measurements.iter().filter(|m| m.stands_in(ix)) {
                let unit = m.unit.as_deref().and_then(Unit::parse);
                let values = [m.value, m.lo, m.hi, m.pm].into_iter().flatten();
                out.extend(unit.iter().flat_map(|u| values.clone().map(|value| Known { value, unit: u.clone() })));
            }
            out
        })
    }

    /// Messages in which a text stands, in reading order.
    pub(super) fn holding(&self, needle: &str) -> impl Iterator<Item = MsgIx> {
        let finder = memchr::memmem::Finder::new(needle).into_owned();
        (0..self.session().messages.len() as u32)
            .map(MsgIx)
            .filter(move |&ix| finder.find(self.text(ix).as_bytes()).is_some())
    }

    /// Messages of the main thread that a role wrote.
    pub(super) fn of_role(&self, role: Role) -> impl Iterator<Item = MsgIx> {
        self.session().live().filter(move |(_, m)| m.role == role).map(|(ix, _)| ix)
    }
}

/// The values of a figure with their unit.
pub(super) fn known(figure: &Figure) -> Vec<Known> {
    let Some(unit) = &figure.unit else { return Vec::new() };
    let values = [Some(figure.value), figure.second.map(|s| s.1), figure.pm];
    values.into_iter().flatten().map(|value| Known { value, unit: unit.clone() }).collect()
}

fn all_text(message: &Message) -> String {
    let mut out = String::new();
    for part in &message.parts {
        match &part.body {
            PartBody::Text(t) | PartBody::Injected(t) | PartBody::Reasoning(t) => line(&mut out, t),
            PartBody::Call(call) => {
                line(&mut out, &call.tool);
                strings(&mut out, &call.input);
                if let Some(result) = &call.result {
                    line(&mut out, &result.text);
                }
            }
            PartBody::Attachment { name, .. } => line(&mut out, name),
            PartBody::Patch { files } => files.iter().for_each(|f| line(&mut out, f)),
            PartBody::Unknown { .. } => {}
        }
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Every string and number of a tool's input; a stack instead of recursion, since the input chooses the depth.
fn strings(out: &mut String, input: &serde_json::Value) {
    let mut stack = vec![input];
    while let Some(value) = stack.pop() {
        match value {
            serde_json::Value::String(s) => line(out, s),
            serde_json::Value::Number(n) => line(out, &n.to_string()),
            serde_json::Value::Array(items) => stack.extend(items.iter().rev()),
            serde_json::Value::Object(map) => stack.extend(map.values().rev()),
            _ => {}
        }
    }
}

/// A text as quotes are compared: one line, plain quotes and dashes, no emphasis or code marks.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = true;
    for c in text.chars() {
        let c = match c {
            '“' | '”' | '„' => '"',
            '‘' | '’' => '\'',
            '–' | '—' => '-',
            // Marks of Markdown, which are no words; what a reader sees of a quoted line has no mark either.
            '*' | '`' | '\\' | '>' => continue,
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if c != ' ' || !space {
            out.push(c);
        }
        space = c == ' ';
    }
    out.truncate(out.trim_end().len());
    out
}
