//! From INPUT arguments to analysed sessions, one after the other, in the order given.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::builder::NonEmptyStringValueParser;
use rayon::prelude::*;

use super::exit::{Exit, usage};
use super::pick::Choice;
pub(crate) use super::pick::{message, named, range};
use super::stores::{self, Candidate};
use super::told::{self, Told};
use super::{Global, newest, signals};
use crate::analysis::{Analysis, analyse};
use crate::diag::{Diag, Severity};
use crate::error::Error;
use crate::extract::Config;
use crate::redact::{self, Redactor};
use crate::session::{Session, visible};
use crate::source::{self, Group};
use crate::tables::dataset::Manifest;

/// Highest number that a first message may have: the highest whole number that every reader of JSON holds.
pub(super) const HIGHEST_NUMBER: u64 = 1 << 53;

/// Where to read sessions from.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct InputArgs {
    /// Transcript files, folders that hold some, session ids that `turnpoint sessions` prints, or - for standard input
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Number of the first message, for transcripts that carry no numbers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=HIGHEST_NUMBER))]
    pub(crate) first_number: Option<u64>,
    /// Of several sessions take this one: its id (or the start of it), its position from 1, or `latest`
    #[arg(long, value_name = "ID|N|latest", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) pick: Option<String>,
}

/// Where to read one session from.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct OneInput {
    /// Transcript file, folder that holds one, session id that `turnpoint sessions` prints, or - for standard input
    input: PathBuf,
    /// Number of the first message, for transcripts that carry no numbers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=HIGHEST_NUMBER))]
    first_number: Option<u64>,
    /// Of several sessions take this one: its id (or the start of it), its position from 1, or `latest`
    #[arg(long, value_name = "ID|N|latest", value_parser = NonEmptyStringValueParser::new())]
    pick: Option<String>,
}

impl OneInput {
    pub(crate) fn args(&self) -> InputArgs {
        InputArgs { inputs: vec![self.input.clone()], first_number: self.first_number, pick: self.pick.clone() }
    }
}

/// Files that are read together, and the one session in them that is meant, if not all are.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) group: Group,
    only: Option<String>,
}

impl Wanted {
    /// Reads its sessions.
    pub(crate) fn load(&self, first_number: Option<u64>) -> Result<Vec<Session>, Error> {
        let mut sessions = source::load(&self.group, first_number)?;
        sessions.retain(|s| self.only.as_ref().is_none_or(|id| s.id == *id));
        Ok(sessions)
    }
}

/// What an input names.
enum Named {
    Path,
    Session(Candidate),
    /// Neither a file nor a session that is known.
    Nothing(Error),
}

/// What happened on the way: decides on the exit code and on what is said on standard error.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) global: Global,
    /// What takes private text out; `None` when that was not asked for.
    redactor: Option<RefCell<Redactor>>,
    exit: Cell<Exit>,
    told: RefCell<Told>,
    /// Trouble with files of a folder, which belongs to no session.
    pub(crate) passed: RefCell<Vec<Diag>>,
    /// The inputs found.
    read: RefCell<Vec<source::Input>>,
}

impl Run {
    pub(super) fn new(global: Global, redact: Option<redact::Options>) -> Self {
        let redactor = redact.map(|options| RefCell::new(Redactor::new(options)));
        let (told, passed) = (RefCell::default(), RefCell::default());
        Self { global, redactor, exit: Cell::new(Exit::Done), told, passed, read: RefCell::default() }
    }

    /// The inputs found so far. Standard input and pipes give their bytes only once, so that they are not looked for again.
    pub(crate) fn inputs(&self) -> Vec<source::Input> {
        self.read.borrow().clone()
    }

    /// Whether private text is taken out.
    pub(crate) fn redacts(&self) -> bool {
        self.redactor.is_some()
    }

    /// A line or field without private text, where that was asked for.
    pub(crate) fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.redactor {
            Some(redactor) => redactor.borrow_mut().line(text),
            None => Cow::Borrowed(text),
        }
    }

    /// A JSON value without private text, where that was asked for.
    pub(crate) fn clean_value(&self, value: &mut serde_json::Value) {
        if let Some(redactor) = &self.redactor {
            redactor.borrow_mut().value(value);
        }
    }

    fn clean_session(&self, session: &mut Session) {
        if let Some(redactor) = &self.redactor {
            redactor.borrow_mut().session(session);
        }
    }

    /// Says what was taken out. Nothing of it is shown.
    pub(super) fn say_redacted(&self) {
        let Some(redactor) = &self.redactor else { return };
        let counts: Vec<String> = redactor
            .borrow()
            .counts()
            .map(|(kind, different, places)| format!("{} {different} in {places} places", kind.word()))
            .collect();
        let list = if counts.is_empty() { "nothing".to_owned() } else { counts.join("; ") };
        self.say(&format!("redacted: {list}. What has no known shape stays; docs/redaction.md says what that is"));
    }

    /// The exit code that the input asks for.
    pub(super) fn exit(&self) -> Exit {
        let told = self.told.take();
        let lines = if self.global.quiet { told.losses() } else { told.end() };
        lines.iter().for_each(|line| self.say(line));
        self.exit.get()
    }

    /// Raises the exit code.
    pub(crate) fn raise(&self, exit: Exit) {
        self.exit.set(self.exit.get().max(exit));
    }

    /// Prints a line on standard error, with nothing hidden in it.
    pub(crate) fn say(&self, line: &str) {
        let _ = writeln!(io::stderr(), "turnpoint: {}", visible(&self.clean(line)));
    }

    /// Prints a line that a template made, in which nothing is hidden, on standard error.
    pub(crate) fn plain(&self, line: &str) {
        let _ = writeln!(io::stderr(), "{}", self.clean(line));
    }

    /// The exit code when no session came out: the errors that were told decide, or the input holds none.
    pub(crate) fn nothing_found(&self) -> Exit {
        if self.exit.get() == Exit::Done {
            self.say("the input holds no session");
        }
        self.exit.get()
    }

    pub(super) fn warn(&self, diags: &[Diag]) {
        for diag in told::fold(diags) {
            if diag.severity == Severity::Lost && self.global.strict {
                self.raise(Exit::Unread);
            }
            let line = self.told.borrow_mut().line(&diag);
            if let Some(line) = line.filter(|_| !self.global.quiet) {
                let _ = writeln!(io::stderr(), "{}", self.clean(&line));
            }
        }
    }

    pub(super) fn fail(&self, error: &Error) {
        self.say(&error.to_string());
        self.raise(Exit::Unread);
    }

    /// Analyses every session of the inputs and hands them over in order. As many groups are held in memory as there
    /// are threads.
    pub(crate) fn each(
        &self,
        args: &InputArgs,
        config: &Config,
        experimental: bool,
        mut take: impl FnMut(Analysis) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let groups = self.groups(args)?;
        let mut passed = self.passed.take();
        if let Some(redactor) = &self.redactor {
            passed.iter_mut().for_each(|diag| redactor.borrow_mut().warning(diag));
        }
        // What a folder holds beside its one session stands with that session.
        let with_it = if groups.len() == 1 && args.pick.is_none() { std::mem::take(&mut passed) } else { Vec::new() };
        self.warn(&passed);
        self.passed.replace(passed);
        if let Some(pick) = &args.pick {
            let session = self.picked(&groups, args, pick)?;
            return self.hand_over(analyse(session, config, experimental), &mut take);
        }
        signals::expect(groups.len());
        let bar = progress(groups.len());
        for window in groups.chunks(rayon::current_num_threads().max(1)) {
            for result in self.analysed(window, &with_it, args, config, experimental) {
                bar.inc(1);
                match result {
                    Ok(analyses) => {
                        for analysis in analyses {
                            self.hand_over(analysis, &mut take)?;
                        }
                    }
                    Err(error) => self.fail(&error),
                }
            }
        }
        bar.finish_and_clear();
        Ok(())
    }

    /// Reads and analyses groups side by side. What is redacted is numbered between the two, in order of input, so that
    /// the placeholders do not depend on the number of threads.
    fn analysed(
        &self,
        window: &[Wanted],
        with_it: &[Diag],
        args: &InputArgs,
        config: &Config,
        experimental: bool,
    ) -> Vec<Result<Vec<Analysis>, Error>> {
        let load = |wanted: &Wanted| {
            let mut sessions = wanted.load(args.first_number)?;
            if let Some(first) = sessions.first_mut() {
                first.warnings.splice(0..0, with_it.iter().cloned());
            }
            Ok(sessions)
        };
        let all = |sessions: Vec<Session>| sessions.into_iter().map(|s| analyse(s, config, experimental)).collect();
        if !self.redacts() {
            return window.par_iter().map(|wanted| Ok(all(load(wanted)?))).collect();
        }
        let mut loaded: Vec<Result<Vec<Session>, Error>> = window.par_iter().map(load).collect();
        loaded.iter_mut().flatten().flatten().for_each(|session| self.clean_session(session));
        loaded.into_par_iter().map(|sessions| Ok(all(sessions?))).collect()
    }

    /// The one session of an input; where there are several, `--pick` chooses.
    pub(crate) fn one(&self, args: &InputArgs, config: &Config, experimental: bool) -> anyhow::Result<Analysis> {
        let mut all = Vec::new();
        self.each(args, config, experimental, |analysis| {
            all.push(analysis);
            Ok(())
        })?;
        match all.len() {
            1 => Ok(all.remove(0)),
            0 if self.exit.get() == Exit::Done => Err(usage("the input holds no session")),
            0 => Err(Quiet.into()),
            n => {
                let list: Vec<String> =
                    all.iter().enumerate().map(|(i, a)| format!("  {}  {}", i + 1, named(&a.session))).collect();
                Err(usage(format!("the input holds {n} sessions; choose one with --pick:\n{}", list.join("\n"))))
            }
        }
    }

    /// The groups of files behind the inputs; what was passed over is noted.
    pub(crate) fn groups(&self, args: &InputArgs) -> anyhow::Result<Vec<Wanted>> {
        if args.inputs.is_empty() {
            let (Candidate { file, id, .. }, said) = newest::session()?;
            self.say(&said);
            return Ok(self.discovered(&[file], id.as_ref()));
        }
        for input in &args.inputs {
            // A manifest of something else is a file like others.
            if matches!(Manifest::read(input), Ok(Some(_))) {
                return Err(usage(format!(
                    "{} is a dataset written by `extract`: it holds tables, not the sessions' messages; ask it with `turnpoint query {0} \"SELECT …\"`, or name the transcripts",
                    input.display()
                )));
            }
        }
        let (mut out, mut paths) = (Vec::new(), Vec::new());
        for input in &args.inputs {
            match self.session_named(input)? {
                Named::Session(Candidate { file, id, .. }) => {
                    out.extend(self.discovered(&std::mem::take(&mut paths), None));
                    out.extend(self.discovered(&[file], id.as_ref()));
                }
                Named::Path => paths.push(input.clone()),
                Named::Nothing(error) => self.fail(&error),
            }
        }
        out.extend(self.discovered(&paths, None));
        Ok(out)
    }

    /// The files at paths, told and grouped; `only` names the session that is meant.
    fn discovered(&self, paths: &[PathBuf], only: Option<&String>) -> Vec<Wanted> {
        let found = source::discover(paths);
        self.passed.borrow_mut().extend(found.warnings);
        for error in &found.errors {
            self.fail(error);
        }
        self.read.borrow_mut().extend(found.groups.iter().flat_map(|g| g.inputs.iter().cloned()));
        found.groups.into_iter().map(|group| Wanted { group, only: only.cloned() }).collect()
    }

    /// What an input names: a path, or a session by its id.
    fn session_named(&self, input: &Path) -> anyhow::Result<Named> {
        let is_id = |name: &&str| !matches!(*name, "" | "-") && !name.contains(['/', '\\']);
        let Some(name) = input.to_str().filter(is_id) else { return Ok(Named::Path) };
        if input.symlink_metadata().is_ok() {
            return Ok(Named::Path);
        }
        let mut found = stores::by_id(&stores::here(), name);
        match found.len() {
            0 => {
                let seen = "no file of this name, and in the usual places no session whose id starts so; `turnpoint sessions` lists those there are";
                Ok(Named::Nothing(Error::Unrecognised { path: name.to_owned(), seen: seen.to_owned() }))
            }
            1 => {
                let (id, found) = found.remove(0);
                self.say(&format!("session {id}: {}", found.file.display()));
                Ok(Named::Session(found))
            }
            n => {
                let list: Vec<String> = found.iter().map(|(id, c)| format!("  {id}  {}", c.file.display())).collect();
                Err(usage(format!("the ids of {n} sessions start with `{name}`:\n{}", list.join("\n"))))
            }
        }
    }

    /// The session that `--pick` names. All are read, since positions and the newest one count over the whole input, but
    /// only those that may be meant are held.
    fn picked(&self, groups: &[Wanted], args: &InputArgs, pick: &str) -> anyhow::Result<Session> {
        let mut choice = Choice::new(pick);
        for window in groups.chunks(rayon::current_num_threads().max(1)) {
            let loaded: Vec<_> = window.par_iter().map(|wanted| wanted.load(args.first_number)).collect();
            for result in loaded {
                match result {
                    Ok(sessions) => sessions.into_iter().for_each(|mut session| {
                        self.clean_session(&mut session);
                        choice.offer(session);
                    }),
                    Err(error) => self.fail(&error),
                }
            }
        }
        choice.take()
    }

    fn hand_over(
        &self,
        mut analysis: Analysis,
        take: &mut impl FnMut(Analysis) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let shared = self.told.borrow_mut().shared_id(&analysis.session);
        analysis.session.warnings.extend(shared);
        self.warn(&analysis.session.warnings);
        self.told.borrow_mut().account(&analysis.session);
        take(analysis)
    }
}

/// An error that was already told; only the exit code is left.
#[derive(Debug, thiserror::Error)]
#[error("nothing could be read")]
pub(crate) struct Quiet;

/// Progress on a terminal, nothing elsewhere.
pub(super) fn progress(groups: usize) -> indicatif::ProgressBar {
    if groups < 2 || !io::stderr().is_terminal() {
        return indicatif::ProgressBar::hidden();
    }
    indicatif::ProgressBar::new(groups as u64)
}
