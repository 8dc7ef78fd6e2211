//! Names of people and machines: account names in home directories, e-mail addresses, hosts, words of the user's own.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::{memchr, memmem};
use regex::Regex;

use super::{Hit, Kind};

static HOME: LazyLock<Regex> = LazyLock::new(|| {
    let name = r#"([^/\\\s"'`:;,<>|*?()\[\]{}$@%&=#!]+)"#;
    Regex::new(&format!(r"(?:/home/|/Users/|[\\/]{{1,4}}Users[\\/]{{1,4}}){name}")).expect("a fixed pattern")
});

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[A-Za-z0-9][A-Za-z0-9._%+-]*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}")
        .expect("a fixed pattern")
});

static IP: LazyLock<Regex> = LazyLock::new(|| {
    let v4 = r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})(?:\.(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})){3}";
    let v6 = r"[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){7}|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){1,5}::(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4})*)?";
    Regex::new(&format!("(?:{v6}|{v4})")).expect("a fixed pattern")
});

static URL_HOST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:://|(?:ssh|scp|rsync|ping|sftp)\s+(?:-\S+\s+(?:[0-9]+\s+)?)*)(?:[^\s/@"'<>]*@)?([A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9])|[A-Za-z0-9._-]+@([A-Za-z0-9][A-Za-z0-9-]*):[~/]"#)
        .expect("a fixed pattern")
});

/// Accounts that say nothing of a person.
const NOBODY: &[&str] = &[
    "user",
    "users",
    "username",
    "name",
    "you",
    "me",
    "yourname",
    "your-username",
    "your_username",
    "ubuntu",
    "debian",
    "fedora",
    "centos",
    "root",
    "admin",
    "administrator",
    "runner",
    "node",
    "app",
    "appuser",
    "test",
    "testuser",
    "dev",
    "developer",
    "vscode",
    "codespace",
    "gitpod",
    "jovyan",
    "linuxbrew",
    "docker",
    "vagrant",
    "ec2-user",
    "git",
    "home",
    "work",
    "workspace",
    "src",
    "code",
    "project",
    "projects",
    "data",
    "public",
    "shared",
    "default",
    "guest",
    "agent",
    "sandbox",
    "build",
    "ci",
    "jenkins",
    "x",
    "u",
    "foo",
    "bar",
    "example",
    "all",
];

/// Names that are words as well: as account names they are taken out in paths and addresses alone.
const WORDS: &[&str] = &[
    "will", "mark", "grant", "art", "bill", "rich", "max", "min", "frank", "rob", "pat", "sue", "may", "june", "april",
    "grace", "hope", "drew", "chase", "jack", "ray", "dean", "miles", "page", "rose", "bob", "guy", "dale", "glen",
    "heath", "wade", "ward", "reed", "read", "write", "main", "core", "base", "server", "client", "model", "system",
    "claude", "codex", "opencode", "python", "rust", "java", "model", "models", "tools", "local", "tmp", "share",
    "key", "token", "table", "string",
];

/// Account names that home directories told.
#[derive(Debug, Default)]
pub(super) struct Users {
    names: BTreeSet<String>,
    /// Finds them all at once; made when it is needed after a new name.
    finder: OnceCell<Option<AhoCorasick>>,
}

impl Users {
    /// Adds the names that home directories in a text tell.
    pub(super) fn learn(&mut self, text: &str) {
        if memmem::find(text.as_bytes(), b"/home/").is_none() && memmem::find(text.as_bytes(), b"Users").is_none() {
            return;
        }
        for name in HOME.captures_iter(text).filter_map(|c| c.get(1)) {
            let name = name.as_str().trim_end_matches('.');
            if is_somebody(name) && !self.names.contains(name) {
                self.names.insert(name.to_owned());
                self.finder.take();
            }
        }
    }

    fn find(&self, text: &str, hits: &mut Vec<Hit>) {
        let finder = self.finder.get_or_init(|| AhoCorasick::new(&self.names).ok().filter(|_| !self.names.is_empty()));
        for found in finder.iter().flat_map(|finder| finder.find_overlapping_iter(text)) {
            let (at, name) = (found.range(), &text[found.range()]);
            let anywhere = name.len() >= 4 && !WORDS.contains(&name.to_lowercase().as_str());
            if stands_alone(text, &at) && (anywhere || is_placed(text.as_bytes(), &at)) {
                hits.push(Hit { at, kind: Kind::User });
            }
        }
    }
}

fn is_somebody(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 64
        && !name.starts_with("REDACTED-")
        && !name.starts_with(['.', '-', '~', '…'])
        && !NOBODY.contains(&name.to_lowercase().as_str())
}

pub(super) fn find(text: &str, users: &Users, hits: &mut Vec<Hit>) {
    if memchr(b'@', text.as_bytes()).is_some() {
        let addresses = EMAIL.find_iter(text).filter(|m| {
            let local = m.as_str().split('@').next().unwrap_or_default();
            !matches!(local, "git" | "noreply" | "no-reply")
        });
        hits.extend(addresses.map(|m| Hit { at: m.range(), kind: Kind::Email }));
    }
    users.find(text, hits);
}

/// Whether a name stands where account names stand: in the path of a home directory, also as a name of a folder
/// (`-home-jdoe-x`), or before a host.
fn is_placed(text: &[u8], at: &Range<usize>) -> bool {
    let before = &text[..at.start];
    let homes: [&[u8]; 6] = [b"/home/", b"/Users/", b"\\Users\\", b"-home-", b"-Users-", b"~"];
    homes.iter().any(|h| before.ends_with(h)) || before.ends_with(b"Users/") || text.get(at.end) == Some(&b'@')
}

/// Places of a word that is no part of a longer one.
pub(super) fn word(text: &str, word: &str, same_case: bool, take: &mut dyn FnMut(Range<usize>)) {
    let lower = (!same_case).then(|| (text.to_ascii_lowercase(), word.to_ascii_lowercase()));
    let (hay, needle) = lower.as_ref().map_or((text, word), |(t, w)| (t.as_str(), w.as_str()));
    let places = memmem::find_iter(hay.as_bytes(), needle.as_bytes()).map(|start| start..start + needle.len());
    places.filter(|at| stands_alone(hay, at)).for_each(take);
}

/// Whether a word is no part of a longer one.
fn stands_alone(text: &str, at: &Range<usize>) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    // `\njdoe` of an escaped text: the `n` belongs to the escape.
    let before = &text.as_bytes()[..at.start];
    let escaped = [b"\\n", b"\\r", b"\\t"].iter().any(|escape| before.ends_with(*escape));
    (escaped || !is_letter(text[..at.start].chars().next_back())) && !is_letter(text[at.end..].chars().next())
}

pub(super) fn hosts(text: &str, hits: &mut Vec<Hit>) {
    let is_open = |at: &Range<usize>| {
        let bytes = text.as_bytes();
        let joins = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'.');
        let last = bytes.get(at.end).is_some_and(|b| b.is_ascii_alphanumeric())
            || (bytes.get(at.end) == Some(&b'.') && bytes.get(at.end + 1).is_some_and(u8::is_ascii_digit));
        !(last || (at.start > 0 && joins(bytes.get(at.start - 1))))
    };
    let own = |host: &str| {
        host == "localhost" || host.starts_with("127.") || host == "0.0.0.0" || host.starts_with("REDACTED-")
    };
    let numbers = IP.find_iter(text).map(|m| m.range()).filter(is_open);
    let names = URL_HOST.captures_iter(text).filter_map(|c| c.get(1).or_else(|| c.get(2)).map(|m| m.range()));
    let all: Vec<Range<usize>> = numbers.chain(names).filter(|at| !own(&text[at.clone()])).collect();
    let known: BTreeSet<&str> = all.iter().map(|at| &text[at.clone()]).filter(|h| h.contains('.')).collect();
    hits.extend(all.iter().map(|at| Hit { at: at.clone(), kind: Kind::Host }));
    for host in known {
        word(text, host, true, &mut |at| hits.push(Hit { at, kind: Kind::Host }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Options, Redactor};

    fn redacted(text: &str) -> String {
        Redactor::default().line(text).into_owned()
    }

    #[test]
    fn account_names_are_taken_out_wherever_they_stand() {
        assert_eq!(
            redacted("/home/jdoe/x jdoe@box -home-jdoe-x"),
            "/home/REDACTED-USER-1/x REDACTED-USER-1@box -home-REDACTED-USER-1-x"
        );
        assert_eq!(
            redacted(r"C:\Users\jdoe\x and C:\\Users\\jdoe\\y\njdoe"),
            r"C:\Users\REDACTED-USER-1\x and C:\\Users\\REDACTED-USER-1\\y\nREDACTED-USER-1"
        );
        assert_eq!(redacted("/Users/jdoe: jdoes"), "/Users/REDACTED-USER-1: jdoes");
        assert_eq!(redacted("/home/will/x: it will do"), "/home/REDACTED-USER-1/x: it will do");
        for same in ["/home/user/x", "/home/runner/work", "/home/$USER/x", "the home/garden of Users"] {
            assert_eq!(redacted(same), same);
        }
    }

    #[test]
    fn addresses_are_told_from_other_uses_of_the_sign() {
        assert_eq!(redacted("Mail <jane.doe+x@mail.example.org>."), "Mail <REDACTED-EMAIL-1>.");
        for same in ["git@github.com:a/b.git", "lodash@4.17.21", "@decorator.call", "noreply@anthropic.com"] {
            assert_eq!(redacted(same), same);
        }
    }

    #[test]
    fn hosts_only_when_asked_for() {
        let text =
            "ssh -p 22 me@build7 and http://gpu.acme.example:30000/x, 10.1.2.3, fe80:1:2:3::5, v1.2.3.4.5, 127.0.0.1";
        assert_eq!(redacted(text), text);
        let mut redactor = Redactor::new(Options { hosts: true, ..Options::default() });
        let out = redactor.text(text).into_owned();
        for host in ["build7", "acme", "10.1.2.3", "fe80"] {
            assert!(!out.contains(host), "{out}");
        }
        assert!(out.contains("v1.2.3.4.5") && out.contains("127.0.0.1"), "{out}");
    }
}
