//! What linters, test runners and scanners printed: counted tool by tool, and what of it was never seen to be gone.

use serde::Serialize;
use serde_json::Value;

use super::value::label;
use super::{Material, first_few, some};
use crate::error::Error;
use crate::report::audit::{Tool, tools};

#[derive(Debug, Serialize)]
struct View {
    found: u32,
    gone: u32,
    tools: Vec<Row>,
    /// The worst that no later clean run of the same command takes back.
    rest: Vec<Left>,
    left: usize,
}

#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    tool: Tool,
    by_level: Vec<Level>,
}

#[derive(Debug, Serialize)]
struct Level {
    level: String,
    count: u32,
}

#[derive(Debug, Serialize)]
struct Left {
    tool: &'static str,
    level: Option<String>,
    title: String,
    place: Option<String>,
    msg: String,
}

pub(super) fn view(material: &Material<'_>) -> Result<Option<Value>, Error> {
    let analysis = material.analysis;
    let counted = tools(analysis);
    if counted.is_empty() {
        return Ok(None);
    }
    let printed = &analysis.facts.printed;
    let mut rest: Vec<_> = printed.iter().filter(|f| f.restates.is_none() && f.gone_msg.is_none()).collect();
    rest.sort_by_key(|f| (f.level.is_none(), f.level));
    let row = |f: &&crate::extract::findings::tools::Printed| Left {
        tool: f.tool,
        level: f.level_text.clone().or_else(|| f.level.map(str::to_owned)),
        title: f.title.clone(),
        place: f.file.as_ref().map(|file| f.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"))),
        msg: label(&analysis.session, f.msg),
    };
    let (rest, left) = first_few(rest.iter().map(row).collect(), material.full);
    let level = |(level, count): (&String, &u32)| Level { level: level.clone(), count: *count };
    some(View {
        found: counted.iter().map(|t| t.found).sum(),
        gone: counted.iter().map(|t| t.gone).sum(),
        tools: counted
            .into_iter()
            .map(|tool| Row { by_level: tool.printed_levels.iter().map(level).collect(), tool })
            .collect(),
        rest,
        left,
    })
}
