//! The lines as they are written: an envelope with a payload, or, in old files, the bare payload.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::source::loose::{Loose, Object, Str};

/// The envelope of a line; old lines have none.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Wire<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Str<'a>,
    #[serde(borrow)]
    pub(super) payload: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) record_type: Str<'a>,
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    /// The oldest files are one object with all items.
    #[serde(borrow)]
    pub(super) items: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    pub(super) session: Option<&'a RawValue>,
}

/// What a line says, of any type.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Payload<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    pub(super) role: Str<'a>,
    #[serde(borrow)]
    pub(super) content: Loose<Vec<Loose<Object<Piece<'a>>>>>,
    #[serde(borrow)]
    pub(super) summary: Loose<Vec<Loose<Object<Piece<'a>>>>>,
    #[serde(borrow)]
    pub(super) call_id: Str<'a>,
    #[serde(borrow)]
    pub(super) name: Str<'a>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) action: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) status: Str<'a>,
    #[serde(borrow)]
    pub(super) revised_prompt: Str<'a>,
    #[serde(borrow)]
    pub(super) output: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) message: Str<'a>,
    #[serde(borrow)]
    pub(super) text: Str<'a>,
    #[serde(borrow)]
    pub(super) reason: Str<'a>,
    pub(super) info: Loose<Object<Info>>,
    pub(super) exit_code: Loose<u64>,
    pub(super) success: Loose<bool>,
    pub(super) num_turns: Loose<u64>,
    #[serde(borrow)]
    pub(super) new_thread_id: Str<'a>,
    #[serde(borrow)]
    pub(super) review_output: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) cwd: Str<'a>,
    #[serde(borrow)]
    pub(super) model: Str<'a>,
    #[serde(borrow)]
    pub(super) cli_version: Str<'a>,
    #[serde(borrow)]
    pub(super) forked_from_id: Str<'a>,
    #[serde(borrow)]
    pub(super) parent_thread_id: Str<'a>,
    #[serde(borrow)]
    pub(super) source: Option<&'a RawValue>,
}

/// A piece of content.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Piece<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) text: Str<'a>,
}

/// Token counts of the session and of the last response.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Info {
    pub(super) total_token_usage: Loose<Object<Tokens>>,
    pub(super) last_token_usage: Loose<Object<Tokens>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Tokens {
    pub(super) input_tokens: Loose<u64>,
    pub(super) cached_input_tokens: Loose<u64>,
    pub(super) output_tokens: Loose<u64>,
    pub(super) total_tokens: Loose<u64>,
}
