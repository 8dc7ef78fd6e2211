//! Responses that the stream form holds twice: some proxies log one turn under two ids, of which the second says the
//! same call in its last form, often with the reasoning before it.

use crate::diag::Loc;
use crate::session::{Message, Part, PartBody, Place};

use super::assemble::{Assembly, CallAt};

/// Whether a message says nothing of its own but what led to the call of the message directly before it.
pub(super) fn is_twin(message: &Message, msg: usize, first: CallAt) -> bool {
    let leads = |body: &PartBody| matches!(body, PartBody::Reasoning(_) | PartBody::Text(_));
    first.msg + 1 == msg && !message.parts.is_empty() && message.parts.iter().all(|p| leads(&p.body))
}

impl<L: Fn(Place) -> Loc> Assembly<'_, L> {
    /// Puts what led to a call before the call in the message that said it first. `open` says that the twin is already
    /// the last message of the thread.
    pub(super) fn join_twins(&mut self, twin: Message, first: CallAt, response: Box<str>, open: bool, thread: usize) {
        let CallAt { msg, part, .. } = first;
        // What both say is said once.
        let said = &self.threads[thread].messages[msg].parts;
        let fresh: Vec<Part> = twin.parts.into_iter().filter(|p| said.iter().all(|s| s.body != p.body)).collect();
        let moved = fresh.len();
        for at in self.calls.values_mut().chain(self.nameless.values_mut()).flatten() {
            if at.thread == thread && at.msg == msg && at.part >= part {
                at.part += moved;
            }
        }
        let list = &mut self.threads[thread];
        if open {
            list.messages.pop();
        }
        list.replies.insert(response.clone(), msg);
        let message = &mut list.messages[msg];
        message.model = message.model.take().or(twin.model);
        message.parts.splice(part..part, fresh);
        self.again.insert((thread, response), (msg, twin.usage));
    }

    /// Adds what the responses cost that only said a call again.
    pub(super) fn add_again(&mut self) {
        for ((thread, _), (msg, usage)) in std::mem::take(&mut self.again) {
            if let Some(message) = self.threads[thread].messages.get_mut(msg) {
                message.usage.add(usage);
            }
        }
    }
}
