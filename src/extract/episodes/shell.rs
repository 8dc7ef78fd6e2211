//! Command lines taken apart: simple commands with their words, through quotes, here-documents and wrappers.

/// Bytes of a command line that are looked at; what stands behind them is the body of a script.
const DEPTH: usize = 16 * 1024;
/// Commands inside commands (`ssh host 'bash -c …'`) that are opened.
const NESTED: usize = 4;
/// Words before a command that say nothing of what it does.
const BEFORE: &[&str] = &[
    "sudo", "env", "nohup", "time", "nice", "stdbuf", "command", "exec", "then", "do", "else", "if", "while", "!", "{",
    "eval", "setsid", "uv", "uvx", "poetry", "npx", "pnpx", "bunx", "pipenv", "xargs", "srun", "mpirun", "sudo",
];
/// Programs that run a script given as text after `-c`.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "fish"];

/// One simple command: its words without quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    /// The program's name without its folder, then its arguments. Never empty.
    pub(crate) words: Vec<String>,
    /// A file that its output is written to.
    pub(crate) into: Option<String>,
    /// It reads a here-document.
    pub(crate) fed: bool,
}

impl Command {
    /// The program.
    pub(crate) fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The first argument that is no flag: often a subcommand or a script.
    pub(crate) fn operand(&self) -> Option<&str> {
        self.words[1..].iter().map(String::as_str).find(|w| !w.starts_with('-'))
    }

    /// Whether an argument is this word.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words[1..].iter().any(|w| w == word)
    }
}

/// The simple commands of a command line, those inside `bash -c`, `ssh` and `docker exec` included.
pub(crate) fn commands(line: &str) -> Vec<Command> {
    let mut found = Vec::new();
    let mut waiting = vec![(line[..line.floor_char_boundary(DEPTH)].to_owned(), 0)];
    while let Some((text, depth)) = waiting.pop() {
        for raw in split(&text) {
            let Some(command) = bare(raw) else { continue };
            match inner(&command).filter(|_| depth < NESTED) {
                Some(script) => waiting.push((script, depth + 1)),
                None => found.push(command),
            }
        }
    }
    found
}

/// Takes off what stands before the program: variables, wrappers with their flags and numbers.
fn bare(mut command: Command) -> Option<Command> {
    let mut from = 0;
    let mut wrapped = false;
    while let Some(word) = command.words.get(from) {
        let name = base(word);
        let variable = word.split_once('=').is_some_and(|(k, _)| !k.is_empty() && k.bytes().all(is_name));
        let loose =
            wrapped && (word.starts_with('-') || word.bytes().all(|b| b.is_ascii_digit() || b"smh.".contains(&b)));
        let runs = name == "run" && wrapped;
        if BEFORE.contains(&name) || name == "timeout" {
            wrapped = true;
        } else if !(variable || loose || runs) {
            break;
        }
        from += 1;
    }
    command.words.drain(..from);
    let first = command.words.first_mut()?;
    if !first.starts_with("./") {
        *first = base(first).to_owned();
    }
    Some(command)
}

/// The name of a program without its folder.
fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// The script that a command hands to another shell.
fn inner(command: &Command) -> Option<String> {
    let words = &command.words;
    let program = command.program();
    if SHELLS.contains(&program) {
        let at = words.iter().position(|w| w.starts_with('-') && !w.starts_with("--") && w.ends_with('c'))?;
        return words.get(at + 1).cloned();
    }
    let (from, valued): (usize, &[&str]) = match (program, words.get(1).map(String::as_str)) {
        ("ssh", _) => (1, &["-p", "-i", "-o", "-l", "-F", "-J"]),
        ("docker" | "podman" | "kubectl", Some("exec")) => (2, &["-e", "-w", "-u", "-n", "-c", "--env", "--user"]),
        _ => return None,
    };
    let mut at = from;
    while let Some(word) = words.get(at).filter(|w| w.starts_with('-')) {
        at += if valued.contains(&word.as_str()) { 2 } else { 1 };
    }
    // The host or container stands before the command.
    let rest: Vec<&str> = words.get(at + 1..)?.iter().map(String::as_str).skip_while(|w| *w == "--").collect();
    match rest[..] {
        [] => None,
        [only] => Some(only.to_owned()),
        _ => Some(rest.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(" ")),
    }
}

fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && word.bytes().all(|b| is_name(b) || b"-./=:,@+%".contains(&b));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// What has been read of a command line.
#[derive(Default)]
struct Reader {
    done: Vec<Command>,
    words: Vec<String>,
    word: Option<String>,
    into: Option<String>,
    fed: bool,
    /// The next word is the file that output goes to (`Some(true)`), or no argument at all.
    target: Option<bool>,
    /// Ends of here-documents whose bodies start on the next line.
    ends: Vec<String>,
}

impl Reader {
    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.target.take() {
            Some(true) if !word.starts_with('&') && !word.starts_with("/dev/") => self.into = Some(word),
            Some(_) => {}
            None => self.words.push(word),
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.target = None;
        let words = std::mem::take(&mut self.words);
        let (into, fed) = (self.into.take(), std::mem::take(&mut self.fed));
        if !words.is_empty() {
            self.done.push(Command { words, into, fed });
        }
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }
}

/// Splits a script into simple commands, wrappers still on.
fn split(text: &str) -> Vec<Command> {
    let mut r = Reader::default();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\'' => single(&mut r, after),
            '"' => double(&mut r, after),
            '\\' => escaped(&mut r, after),
            '#' if r.word.is_none() => &after[memchr::memchr(b'\n', after.as_bytes()).unwrap_or(after.len())..],
            '<' if after.starts_with("<<") => {
                r.end_word();
                r.target = Some(false);
                &after[2..]
            }
            '<' if after.starts_with('<') => here(&mut r, &after[1..]),
            '>' | '<' => {
                // A number before it is a stream.
                if r.word.as_deref().is_some_and(|w| w.bytes().all(|b| b.is_ascii_digit())) {
                    let stream = r.word.take();
                    r.target = Some(c == '>' && stream.as_deref() != Some("2"));
                } else {
                    r.end_word();
                    r.target = Some(c == '>');
                }
                after.strip_prefix(['>', '|']).unwrap_or(after)
            }
            '&' if r.target.is_some() && r.word.is_none() => {
                r.push('&');
                after
            }
            '\n' => {
                r.end_command();
                bodies(&mut r, after)
            }
            '&' if after.starts_with('>') => {
                r.end_word();
                after
            }
            ';' | '|' | '&' | '(' | ')' | '`' => {
                r.end_command();
                after
            }
            ' ' | '\t' | '\r' => {
                r.end_word();
                after
            }
            _ => {
                r.push(c);
                after
            }
        };
    }
    r.end_command();
    r.done
}

fn single<'a>(r: &mut Reader, text: &'a str) -> &'a str {
    let end = text.find('\'').unwrap_or(text.len());
    r.word.get_or_insert_default().push_str(&text[..end]);
    text.get(end + 1..).unwrap_or("")
}

fn double<'a>(r: &mut Reader, text: &'a str) -> &'a str {
    let word = r.word.get_or_insert_default();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return &text[at + 1..],
            '\\' => word.extend(chars.next().map(|(_, c)| c)),
            _ => word.push(c),
        }
    }
    ""
}

fn escaped<'a>(r: &mut Reader, text: &'a str) -> &'a str {
    let Some(c) = text.chars().next() else { return "" };
    if c != '\n' {
        r.push(c);
    }
    &text[c.len_utf8()..]
}

/// The mark of a here-document.
fn here<'a>(r: &mut Reader, text: &'a str) -> &'a str {
    r.end_word();
    r.fed = true;
    let text = text.strip_prefix('-').unwrap_or(text).trim_start_matches([' ', '\t']);
    let mark = text.trim_start_matches(['\'', '"', '\\']);
    let length = mark.bytes().take_while(|b| is_name(*b)).count();
    r.ends.push(mark[..length].to_owned());
    mark[length..].trim_start_matches(['\'', '"'])
}

/// Passes over the bodies of the here-documents of the line before.
fn bodies<'a>(r: &mut Reader, mut text: &'a str) -> &'a str {
    for end in r.ends.drain(..) {
        loop {
            let length = memchr::memchr(b'\n', text.as_bytes()).map_or(text.len(), |n| n + 1);
            let line = text[..length].trim();
            text = &text[length..];
            if line == end || text.is_empty() {
                break;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        commands(line).iter().map(|c| c.words.join("·")).collect()
    }

    #[test]
    fn takes_command_lines_apart() {
        assert_eq!(words("cd /x && A=1 sudo make -j4 2>&1 | tail -5; # done"), ["cd·/x", "make·-j4", "tail·-5"]);
        assert_eq!(words("timeout 30s ./run.sh 'a b' \"c \\\"d\"&"), ["./run.sh·a b·c \"d"]);
        assert_eq!(words("x=$(git rev-parse HEAD) echo"), ["git·rev-parse·HEAD", "echo"]);
        assert_eq!(words("/usr/bin/python3 a.py"), ["python3·a.py"]);
        assert_eq!(words("uv run --frozen pytest -q"), ["pytest·-q"]);
    }

    #[test]
    fn opens_what_runs_elsewhere() {
        assert_eq!(words("ssh -p 22 host 'cd /a && ls'"), ["cd·/a", "ls"]);
        assert_eq!(words("docker exec -it box bash -lc \"make test\""), ["make·test"]);
        assert_eq!(words("kubectl exec pod -- cat /etc/x"), ["cat·/etc/x"]);
    }

    #[test]
    fn passes_over_bodies_and_names_targets() {
        let found = commands("cat > a.py <<'EOF'\nrm -rf /\nEOF\npython3 a.py > out.log 2> err < in\nls > /dev/null");
        let seen: Vec<_> = found.iter().map(|c| (c.program(), c.into.as_deref(), c.fed)).collect();
        assert_eq!(seen, [("cat", Some("a.py"), true), ("python3", Some("out.log"), false), ("ls", None, false)]);
        assert_eq!(words("python3 - <<EOF\nprint(1)\n"), ["python3·-"]);
    }

    #[test]
    fn any_text_is_taken() {
        for text in ["", "'", "\"\\", "<<", "a <<", "a <<E", "\\", "ssh", "bash -c", "docker exec", "é'é", "> >"] {
            commands(text);
        }
    }
}
