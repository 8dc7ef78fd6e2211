//! The one template engine: templates that are built in, and a folder that may replace some of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use include_dir::{Dir, include_dir};
use serde::Serialize;
use tera::{Context, Kwargs, State, Tera};

use super::text;
use crate::error::Error;

static BUILT_IN: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// What the templates are filled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Markdown, and HTML made from it: citations are links, text of the transcript is escaped.
    Markdown,
    /// A terminal: citations and text are plain.
    Terminal,
}

/// Templates, ready to be filled.
#[derive(Debug)]
pub struct Engine(Tera);

impl Engine {
    /// The built-in templates, those replaced that `folder` holds under the same name.
    ///
    /// Filters of the templates: `md` (text of the transcript on one line), `code` (the same as code), `fence` (as a
    /// block), `short(max=…)` (cut, then `md`), `said(max=…)` (a quotation),
    /// `excerpt(words=…, max=…)` (the start of a longer text without its marks),
    /// `cite` (a message number), `plural(one=…, many=…)`, `lines(by=…)` (the lines of a block as one). The components
    /// that templates share stand in `components.md`.
    pub fn new(target: Target, folder: Option<&Path>) -> Result<Self, Error> {
        let mut files = BTreeMap::new();
        collect(&BUILT_IN, &mut files);
        if let Some(folder) = folder {
            read_folder(folder, folder, &mut files)?;
        }
        let mut tera = Tera::new();
        tera.autoescape_on(vec![".html"]);
        match target {
            Target::Markdown => {
                tera.register_filter("md", |v: &str, _: Kwargs, _: &State| text::cell(v));
                tera.register_filter("code", |v: &str, _: Kwargs, _: &State| text::code(v));
                tera.register_filter("cite", |v: &str, _: Kwargs, _: &State| text::cite(v));
                tera.register_filter("short", |v: &str, kwargs: Kwargs, _: &State| -> tera::TeraResult<String> {
                    Ok(text::short(v, kwargs.must_get::<usize>("max")?))
                });
                tera.register_filter("said", |v: &str, kwargs: Kwargs, _: &State| -> tera::TeraResult<String> {
                    Ok(text::said(v, kwargs.must_get::<usize>("max")?))
                });
                tera.register_filter("excerpt", |v: &str, kwargs: Kwargs, _: &State| -> tera::TeraResult<String> {
                    let (words, max) = limits(&kwargs)?;
                    Ok(text::excerpt(v, words, max))
                });
            }
            Target::Terminal => {
                tera.register_filter("md", |v: &str, _: Kwargs, _: &State| text::plain(v));
                tera.register_filter("code", |v: &str, _: Kwargs, _: &State| text::plain(v));
                tera.register_filter("cite", |v: &str, _: Kwargs, _: &State| format!("[msg {v}]"));
                for filter in ["short", "said"] {
                    tera.register_filter(filter, |v: &str, kwargs: Kwargs, _: &State| -> tera::TeraResult<String> {
                        Ok(text::cut(&text::plain(v), kwargs.must_get::<usize>("max")?))
                    });
                }
                tera.register_filter("excerpt", |v: &str, kwargs: Kwargs, _: &State| -> tera::TeraResult<String> {
                    let (words, max) = limits(&kwargs)?;
                    Ok(text::plain_excerpt(v, words, max))
                });
            }
        }
        tera.register_filter("fence", |v: &str, kwargs: Kwargs, _: &State| -> tera::TeraResult<String> {
            let lang: Option<String> = kwargs.get("lang")?;
            Ok(text::fence(v, lang.as_deref().unwrap_or("text")))
        });
        tera.register_filter("plural", plural);
        tera.register_filter("lines", lines);
        tera.add_raw_templates(files).map_err(|e| template_error(&e))?;
        Ok(Self(tera))
    }

    /// Fills a template with a view.
    pub fn render(&self, template: &str, view: &impl Serialize) -> Result<String, Error> {
        let context = Context::from_serialize(view).map_err(|e| template_error(&e))?;
        self.0.render(template, &context).map_err(|e| template_error(&e))
    }

    /// A template that takes no view, such as the style sheet.
    pub fn text(&self, template: &str) -> Result<String, Error> {
        self.0.render(template, &Context::new()).map_err(|e| template_error(&e))
    }
}

/// `3 | plural(one="item", many="items")` → `3 items`.
fn plural(n: i64, kwargs: Kwargs, _: &State) -> tera::TeraResult<String> {
    let word: String = kwargs.must_get(if n == 1 { "one" } else { "many" })?;
    Ok(format!("{n} {word}"))
}

/// Words and characters of an excerpt.
fn limits(kwargs: &Kwargs) -> tera::TeraResult<(usize, usize)> {
    Ok((kwargs.get("words")?.unwrap_or(usize::MAX), kwargs.get("max")?.unwrap_or(400)))
}

/// The lines of a block that hold something, joined: `{{ block | lines(by="; ") }}`; `last` parts the last two.
fn lines(block: &str, kwargs: Kwargs, _: &State) -> tera::TeraResult<String> {
    let by: String = kwargs.must_get("by")?;
    let last: Option<String> = kwargs.get("last")?;
    let lines: Vec<&str> = block.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    Ok(match (lines.split_last(), last) {
        (Some((end, start)), Some(last)) if !start.is_empty() => format!("{}{last}{end}", start.join(&by)),
        _ => lines.join(&by),
    })
}

fn template_error(error: &tera::Error) -> Error {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    Error::Template(text)
}

fn collect(dir: &Dir<'static>, files: &mut BTreeMap<String, String>) {
    for file in dir.files() {
        if let Some(content) = file.contents_utf8() {
            files.insert(file.path().to_string_lossy().replace('\\', "/"), content.to_string());
        }
    }
    dir.dirs().for_each(|d| collect(d, files));
}

fn read_folder(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) -> Result<(), Error> {
    let error = |path: &Path, source| Error::Read { path: path.display().to_string(), source };
    for entry in fs::read_dir(folder).map_err(|e| error(folder, e))? {
        let path = entry.map_err(|e| error(folder, e))?.path();
        if path.is_dir() {
            read_folder(root, &path, files)?;
        } else if let Ok(name) = path.strip_prefix(root) {
            let content = fs::read_to_string(&path).map_err(|e| error(&path, e))?;
            files.insert(name.to_string_lossy().replace('\\', "/"), content);
        }
    }
    Ok(())
}
