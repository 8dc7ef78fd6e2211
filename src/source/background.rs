//! Commands that are left running: the call is answered at once, and how the command ended is told later, by another
//! call or by a text of the program.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::session::{CallStatus, Message, PartBody, ToolResult};

/// What a part says of a command that is left running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said<'a> {
    /// The part is the call that started it; the command's id.
    Started(Cow<'a, str>),
    /// It has ended: the command's id, and how. A status that is unknown says only that it did.
    Ended(Cow<'a, str>, CallStatus, Option<i64>),
}

/// A command: the calls that started it, and whether it is known to have ended, if not how.
#[derive(Default)]
struct Command {
    calls: Vec<(usize, usize)>,
    over: bool,
}

/// Tells of each command that was left running how it ended, where a later part says so. The exit code then belongs to the
/// call that started it, no longer to the one that asked.
pub(super) fn join<'m>(
    messages: impl IntoIterator<Item = &'m mut Message>,
    said: impl for<'p> Fn(&'p PartBody) -> Option<Said<'p>>,
) {
    let mut messages: Vec<&mut Message> = messages.into_iter().collect();
    let mut commands: HashMap<String, Command> = HashMap::new();
    let mut ends: Vec<(Command, CallStatus, Option<i64>)> = Vec::new();
    let mut told: Vec<(usize, usize)> = Vec::new();
    for (m, message) in messages.iter().enumerate() {
        for (p, part) in message.parts.iter().enumerate() {
            match said(&part.body) {
                None => {}
                Some(Said::Started(id)) => {
                    let command = commands.entry(id.into_owned()).or_default();
                    // A script and the call in it start one command; else an id that comes again is another command's.
                    if command.calls.last().is_some_and(|last| *last != (m, p.wrapping_sub(1))) {
                        *command = Command::default();
                    }
                    command.calls.push((m, p));
                }
                Some(Said::Ended(id, status, code)) => {
                    let Some(command) = commands.get_mut(id.as_ref()) else { continue };
                    if status == CallStatus::Unknown {
                        command.over = true;
                    } else if code.is_some() || !command.over {
                        ends.extend(commands.remove(id.as_ref()).map(|command| (command, status, code)));
                        told.push((m, p));
                    }
                }
            }
        }
    }
    let mut result = |(m, p): (usize, usize), change: &dyn Fn(&mut ToolResult)| {
        if let PartBody::Call(call) = &mut messages[m].parts[p].body {
            call.result.as_mut().into_iter().for_each(change);
        }
    };
    told.into_iter().for_each(|at| result(at, &|r| r.exit_code = None));
    for (command, status, code) in ends {
        let end = |r: &mut ToolResult| (r.status, r.exit_code) = (status, code);
        command.calls.into_iter().for_each(|at| result(at, &end));
    }
}
