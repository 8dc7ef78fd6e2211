//! The lines as they are written. Every field accepts any JSON; strings borrow from the line.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{Error as _, MapAccess, SeqAccess};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::source::loose::{Fit, Loose, Object, Str};

/// One line, of the session form or of the stream form.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Wire<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) subtype: Str<'a>,
    #[serde(borrow)]
    pub(super) uuid: Str<'a>,
    #[serde(borrow)]
    pub(super) parent_uuid: Str<'a>,
    #[serde(borrow)]
    pub(super) session_id: Str<'a>,
    #[serde(borrow, rename = "session_id")]
    pub(super) stream_session_id: Str<'a>,
    #[serde(borrow)]
    pub(super) agent_id: Str<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Str<'a>,
    #[serde(borrow)]
    pub(super) cwd: Str<'a>,
    #[serde(borrow)]
    pub(super) version: Str<'a>,
    #[serde(borrow, rename = "claude_code_version")]
    pub(super) stream_version: Str<'a>,
    pub(super) is_sidechain: Loose<bool>,
    pub(super) is_meta: Loose<bool>,
    pub(super) is_compact_summary: Loose<bool>,
    pub(super) is_api_error_message: Loose<bool>,
    #[serde(borrow, rename = "parentToolUseID")]
    pub(super) parent_call: Str<'a>,
    #[serde(borrow, rename = "parent_tool_use_id")]
    pub(super) stream_parent_call: Str<'a>,
    #[serde(borrow)]
    pub(super) message: Loose<Object<Message<'a>>>,
    #[serde(borrow)]
    pub(super) content: Loose<Content<'a>>,
    #[serde(borrow)]
    pub(super) data: Loose<Object<Progress<'a>>>,
    #[serde(borrow)]
    pub(super) attachment: Option<&'a RawValue>,
    #[serde(alias = "tool_use_result")]
    pub(super) tool_use_result: Loose<ToolData>,
    #[serde(borrow)]
    pub(super) summary: Str<'a>,
    #[serde(borrow)]
    pub(super) ai_title: Str<'a>,
    #[serde(borrow)]
    pub(super) custom_title: Str<'a>,
    #[serde(borrow)]
    pub(super) leaf_uuid: Str<'a>,
    #[serde(rename = "is_error")]
    pub(super) is_error: Loose<bool>,
    #[serde(borrow)]
    pub(super) result: Str<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) model_usage: Option<&'a RawValue>,
}

/// `message`: what the model was sent or answered.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    pub(super) model: Str<'a>,
    #[serde(borrow)]
    pub(super) content: Loose<Content<'a>>,
    pub(super) usage: Loose<Object<Usage>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: Loose<u64>,
    pub(super) output_tokens: Loose<u64>,
    pub(super) cache_read_input_tokens: Loose<u64>,
    pub(super) cache_creation_input_tokens: Loose<u64>,
}

/// Content: a string, or blocks.
pub(super) enum Content<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Loose<Object<Block<'a>>>>),
}

impl<'de: 'a, 'a> Fit<'de> for Content<'a> {
    fn of_str(text: Cow<'de, str>) -> Option<Self> {
        Some(Self::Text(text))
    }
    fn of_seq<A: SeqAccess<'de>>(seq: A) -> Result<Option<Self>, A::Error> {
        Ok(Vec::of_seq(seq)?.map(Self::Blocks))
    }
}

/// A block of content, of any type.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) text: Str<'a>,
    #[serde(borrow)]
    pub(super) thinking: Str<'a>,
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    pub(super) name: Str<'a>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_use_id: Str<'a>,
    #[serde(borrow)]
    pub(super) content: Loose<Content<'a>>,
    pub(super) is_error: Loose<bool>,
    #[serde(borrow)]
    pub(super) source: Loose<Object<Source<'a>>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Source<'a> {
    #[serde(borrow)]
    pub(super) media_type: Str<'a>,
    #[serde(borrow)]
    pub(super) data: Str<'a>,
}

/// `data` of a progress line; those of kind `agent_progress` repeat a line of a subagent.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Progress<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) agent_id: Str<'a>,
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
}

/// `toolUseResult`: of its fields only small ones are kept, since the big ones repeat what the model saw.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolData(pub(super) Value);

impl ToolData {
    const KEPT: &[&str] = &[
        "agentId",
        "answers",
        "backgroundTaskId",
        "code",
        "durationMs",
        "durationSeconds",
        "error",
        "filePath",
        "interrupted",
        "isAsync",
        "newTodos",
        "oldTodos",
        "outputFile",
        "returnCodeInterpretation",
        "status",
        "statusChange",
        "success",
        "task",
        "taskId",
        "totalDurationMs",
        "totalTokens",
        "totalToolUseCount",
        "type",
        "updatedFields",
        "wasInterrupted",
    ];

    /// Longest string kept inside a field.
    const LONGEST: usize = 1024;
}

impl<'de> Fit<'de> for ToolData {
    /// A string repeats the error that stands in the result's text.
    fn of_str(_: Cow<'de, str>) -> Option<Self> {
        Some(Self(Value::Null))
    }

    /// A list repeats the blocks of the result.
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Option<Self>, A::Error> {
        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
        Ok(Some(Self(Value::Null)))
    }

    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        let mut out = serde_json::Map::new();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let raw = map.next_value::<&'de RawValue>()?;
            if Self::KEPT.contains(&&*key) {
                let mut value: Value = serde_json::from_str(raw.get()).map_err(A::Error::custom)?;
                if let Value::Object(fields) = &mut value {
                    fields.retain(|_, v| v.as_str().is_none_or(|s| s.len() <= Self::LONGEST));
                }
                out.insert(key.into_owned(), value);
            }
        }
        Ok(Some(Self(if out.is_empty() { Value::Null } else { Value::Object(out) })))
    }
}
