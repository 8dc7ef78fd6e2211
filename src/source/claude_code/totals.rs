//! What the `result` line of the stream form says that the whole run cost. It counts only where no reply says its own.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::record::{Kind, Line};
use super::wire;
use crate::session::Usage;
use crate::source::loose::{Loose, Object};

/// Tokens by model; the model is empty where the line names none.
pub(super) type Totals = BTreeMap<String, Usage>;

/// Tokens of a model, in `modelUsage`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ModelUsage {
    input_tokens: Loose<u64>,
    output_tokens: Loose<u64>,
    cache_read_input_tokens: Loose<u64>,
    cache_creation_input_tokens: Loose<u64>,
}

/// Reads the totals of a line: by model, else in one sum.
pub(super) fn parse(models: Option<&RawValue>, all: Option<&RawValue>) -> Totals {
    let models: BTreeMap<String, Loose<Object<ModelUsage>>> =
        models.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let of = |(model, told): (String, Loose<Object<ModelUsage>>)| {
        let told = told.get()?.0;
        let usage = Usage {
            input: told.input_tokens.get(),
            output: told.output_tokens.get(),
            cache_read: told.cache_read_input_tokens.get(),
            cache_write: told.cache_creation_input_tokens.get(),
        };
        Some((model, usage)).filter(|_| usage != Usage::default())
    };
    let by_model: Totals = models.into_iter().filter_map(of).collect();
    if !by_model.is_empty() {
        return by_model;
    }
    let all: Option<Loose<Object<wire::Usage>>> = all.and_then(|raw| serde_json::from_str(raw.get()).ok());
    let all = usage(all.unwrap_or_default());
    (all != Usage::default()).then(|| (String::new(), all)).into_iter().collect()
}

/// The totals of a session. Of several runs in one stream it is not known which of their sums hold the others.
pub(super) fn only<'a>(lines: impl Iterator<Item = &'a Line>) -> Totals {
    let mut results = lines.filter(|line| line.kind == Kind::Result);
    match (results.next(), results.next()) {
        (Some(only), None) => only.totals.clone(),
        _ => Totals::new(),
    }
}

/// Tokens as the lines of the interface name them.
pub(super) fn usage(wire: Loose<Object<wire::Usage>>) -> Usage {
    wire.get().map_or_else(Usage::default, |u| Usage {
        input: u.0.input_tokens.get(),
        output: u.0.output_tokens.get(),
        cache_read: u.0.cache_read_input_tokens.get(),
        cache_write: u.0.cache_creation_input_tokens.get(),
    })
}
