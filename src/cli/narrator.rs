//! The optional narrator of a report: sends the fact pack to the model that the user names, and nothing without the flag.

use std::io::Read;
use std::time::Duration;

use anyhow::{Context, anyhow};
use serde_json::{Value, json};

use super::exit::usage;
use super::input::Run;
use crate::analysis::Analysis;
use crate::report::narrator::{INSTRUCTIONS, Pack};

/// Variable of the environment that holds the key, if the endpoint wants one.
const KEY: &str = "TURNPOINT_NARRATOR_KEY";
/// An answer of more bytes is no answer.
const LONGEST: u64 = 4 << 20;

/// A model that may rephrase the report's sentences
#[derive(Debug, clap::Args)]
pub(crate) struct NarratorArgs {
    /// Let the model at this OpenAI-compatible endpoint rephrase the report's sentences; each is verified
    #[arg(long, value_name = "URL", requires = "model")]
    narrator: Option<String>,
    /// Name of the narrator's model
    #[arg(long, value_name = "NAME", requires = "narrator")]
    model: Option<String>,
    /// Seconds to wait for the narrator
    #[arg(long, value_name = "S", default_value_t = 120, requires = "narrator", value_parser = clap::value_parser!(u64).range(1..=3600))]
    narrator_timeout: u64,
}

impl NarratorArgs {
    /// Refuses what can not be sent before any transcript is read.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let Some(url) = &self.narrator else { return Ok(()) };
        let authority = url.split_once("://").map_or("", |u| u.1).split('/').next().unwrap_or("");
        if authority.contains('@') {
            return Err(usage(format!("no name or key in the URL of --narrator: the key is read from {KEY}")));
        }
        let tls = cfg!(feature = "tls");
        match url.split_once("://").map(|u| u.0) {
            Some("http") => Ok(()),
            Some("https") if tls => Ok(()),
            Some("https") => Err(usage("this build speaks to a narrator over http only; build it with --features tls")),
            _ => Err(usage(format!("--narrator takes an http or https URL, not {url}"))),
        }
    }

    /// The report as the narrator tells it; as it is when there is no narrator, or when its answer is none.
    pub(crate) fn tell(&self, run: &Run, markdown: String, analysis: &Analysis) -> String {
        let (Some(url), Some(model)) = (&self.narrator, &self.model) else { return markdown };
        let pack = Pack::of(&markdown);
        if pack.is_empty() {
            run.say("narrator: the report has no sentence to rephrase; nothing is sent");
            return markdown;
        }
        let url = endpoint(url);
        let body = request(model, &pack);
        run.say(&format!(
            "narrator: {} sentences of the report, what they quote left out ({} bytes), go to {url}, model {model}",
            pack.len(),
            body.len(),
        ));
        let told = send(&url, &body, Duration::from_secs(self.narrator_timeout)).and_then(|answer| {
            pack.told(&markdown, &answer, analysis).context("the answer is not the JSON that was asked for")
        });
        match told {
            Ok(told) => {
                let kept: Vec<String> = told.kept.iter().map(|(why, n)| format!("{n} {why}")).collect();
                let kept = if kept.is_empty() { "none kept as it was".to_owned() } else { kept.join(", ") };
                run.say(&format!("narrator: {} of {} sentences taken over; {kept}", told.taken, pack.len()));
                told.markdown
            }
            Err(error) => {
                run.say(&format!("narrator: {error:#}; the report keeps its own sentences"));
                markdown
            }
        }
    }
}

/// `http://host/v1` and `http://host/v1/chat/completions` name the same place.
fn endpoint(url: &str) -> String {
    let url = url.trim_end_matches('/');
    if url.ends_with("/chat/completions") { url.to_owned() } else { format!("{url}/chat/completions") }
}

fn request(model: &str, pack: &Pack) -> String {
    let messages = json!([{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": pack.json()}]);
    json!({"model": model, "temperature": 0, "stream": false, "messages": messages}).to_string()
}

/// Sends a request and returns what the model says. No other place is asked: redirects and proxies are not followed.
fn send(url: &str, body: &str, wait: Duration) -> anyhow::Result<String> {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().timeout_global(Some(wait)).max_redirects(0).proxy(None).build().into();
    let mut request = agent.post(url).header("content-type", "application/json");
    if let Some(key) = std::env::var(KEY).ok().filter(|k| !k.is_empty()) {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    let response = request.send(body).map_err(|error| match error {
        ureq::Error::Timeout(_) => anyhow!("no answer within {} s", wait.as_secs()),
        other => anyhow!("{other}"),
    })?;
    let mut text = String::new();
    let mut reader = response.into_body().into_reader().take(LONGEST);
    reader.read_to_string(&mut text).context("the answer could not be read")?;
    let answer: Value = serde_json::from_str(&text).context("the answer is no JSON")?;
    let said = answer.pointer("/choices/0/message/content").and_then(Value::as_str);
    Ok(said.context("the answer holds no message")?.to_owned())
}
