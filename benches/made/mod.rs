//! A Claude Code session like those of real work: prose with headings, lists, tables and figures; tool calls whose
//! outputs are 0.2 to 35 KB long; todo lists that move on. The same bytes each time.

pub(crate) mod plan;

use std::io::{self, Write};

use serde_json::{Value, json};

const WORDS: &[&str] = &[
    "the", "parser", "reads", "each", "line", "and", "keeps", "state", "between", "calls", "so", "that", "a", "cache",
    "of", "entries", "is", "built", "once", "when", "index", "changes", "we", "check", "config", "file", "before",
    "running", "tests", "again", "with", "more", "threads", "because", "lock", "was", "held", "too", "long", "in",
    "worker", "loop", "this", "should", "reduce", "latency", "under", "load", "but", "needs", "another", "look", "at",
    "memory", "use",
];

const TASKS: &[&str] = &[
    "Read the configuration loader",
    "Write the failing test",
    "Fix the cache key",
    "Run the whole test suite",
    "Measure the throughput",
    "Update the documentation",
    "Review the error messages",
    "Remove the dead code",
];

/// Deterministic numbers (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn words(&mut self, n: u64) -> String {
        let words: Vec<&str> = (0..n).map(|_| self.pick(WORDS)).collect();
        words.join(" ")
    }

    /// Between 200 and 35 000, small ones more often.
    fn output_size(&mut self) -> usize {
        let exponent = self.below(1000) as f64 / 1000.0;
        (200.0 * 175f64.powf(exponent)) as usize
    }
}

struct Writer<W: Write> {
    out: W,
    bytes: u64,
    lines: u64,
    parent: Option<String>,
    dice: Dice,
}

/// Writes a session of about `size` bytes; hands back its size.
pub(crate) fn write(out: impl Write, size: u64) -> io::Result<u64> {
    let mut w = Writer { out, bytes: 0, lines: 0, parent: None, dice: Dice(7) };
    let mut round = 0;
    while w.bytes < size {
        round += 1;
        w.prompt()?;
        let tasks: Vec<String> = (0..5).map(|_| format!("{} of part {round}", w.dice.pick(TASKS))).collect();
        for done in 0..=tasks.len() {
            w.todos(&tasks, done)?;
            for _ in 0..3 + w.dice.below(5) {
                w.tool()?;
            }
        }
        w.report(round)?;
    }
    w.out.flush()?;
    Ok(w.bytes)
}

impl<W: Write> Writer<W> {
    fn line(&mut self, kind: &str, message: Value, result: Option<Value>) -> io::Result<()> {
        self.lines += 1;
        let uuid = format!("{:08x}-0000-4000-8000-{:012x}", self.lines, self.dice.next() & 0xffff_ffff_ffff);
        let second = self.lines * 3;
        let time = format!(
            "2026-01-{:02}T{:02}:{:02}:{:02}.000Z",
            1 + second / 86400 % 28,
            second / 3600 % 24,
            second / 60 % 60,
            second % 60
        );
        let mut line = json!({
            "parentUuid": self.parent, "isSidechain": false, "userType": "external", "cwd": "/home/dev/project",
            "sessionId": "11111111-2222-4333-8444-555555555555", "version": "2.0.1", "gitBranch": "main",
            "type": kind, "message": message, "uuid": uuid, "timestamp": time,
        });
        if let Some(result) = result {
            line["toolUseResult"] = result;
        }
        let text = line.to_string();
        self.bytes += text.len() as u64 + 1;
        self.parent = Some(uuid);
        writeln!(self.out, "{text}")
    }

    fn prompt(&mut self) -> io::Result<()> {
        let text = format!(
            "Make the loader faster. {}.\n\n1. Measure it first\n2. Do not change the public API\n3. Run the tests",
            self.dice.words(30)
        );
        self.line("user", json!({ "role": "user", "content": text }), None)
    }

    fn assistant(&mut self, content: Value) -> io::Result<()> {
        let message = json!({
            "id": format!("msg_{:016x}", self.dice.next()), "type": "message", "role": "assistant", "model": "model-a",
            "content": [content], "stop_reason": null,
            "usage": { "input_tokens": 12, "cache_read_input_tokens": self.dice.below(90_000), "output_tokens": self.dice.below(900) },
        });
        self.line("assistant", message, None)
    }

    fn call(&mut self, tool: &str, input: Value, output: String, result: Value) -> io::Result<()> {
        let id = format!("toolu_{:016x}", self.dice.next());
        self.assistant(json!({ "type": "tool_use", "id": id, "name": tool, "input": input }))?;
        let content = json!([{ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": false }]);
        self.line("user", json!({ "role": "user", "content": content }), Some(result))
    }

    fn todos(&mut self, tasks: &[String], done: usize) -> io::Result<()> {
        let list: Vec<Value> = tasks
            .iter()
            .enumerate()
            .map(|(i, task)| {
                let status = if i < done {
                    "completed"
                } else if i == done {
                    "in_progress"
                } else {
                    "pending"
                };
                json!({ "content": task, "status": status, "activeForm": format!("Working: {task}") })
            })
            .collect();
        let answer = "Todos have been modified successfully. Ensure that you continue to use the todo list.".to_owned();
        self.call("TodoWrite", json!({ "todos": list }), answer, json!({ "oldTodos": [], "newTodos": list }))
    }

    fn tool(&mut self) -> io::Result<()> {
        let file = format!("src/part{}/mod{}.rs", self.dice.below(9), self.dice.below(40));
        if self.dice.below(3) == 0 {
            let words = 20 + self.dice.below(60);
            let text =
                format!("{}. Now I look at `{file}`, which took {} ms.", self.dice.words(words), self.dice.below(900));
            self.assistant(json!({ "type": "text", "text": text }))?;
        }
        let size = self.dice.output_size();
        match self.dice.below(3) {
            0 => {
                let output = self.listing(size);
                let result =
                    json!({ "type": "text", "file": { "filePath": file, "content": output, "numLines": 200 } });
                self.call("Read", json!({ "file_path": file }), output, result)
            }
            1 => {
                let output = self.log(size);
                let result = json!({ "stdout": output, "stderr": "", "interrupted": false, "isImage": false });
                let command = format!("cargo test part{} 2>&1 | tail -200", self.dice.below(9));
                self.call("Bash", json!({ "command": command, "description": "Run the tests" }), output, result)
            }
            _ => {
                let (old, new) = (self.dice.words(25), self.dice.words(30));
                let output = self.listing(size.min(3000));
                let result = json!({ "filePath": file, "oldString": old, "newString": new, "userModified": false });
                self.call("Edit", json!({ "file_path": file, "old_string": old, "new_string": new }), output, result)
            }
        }
    }

    fn listing(&mut self, size: usize) -> String {
        let mut out = String::new();
        let mut n = 1;
        while out.len() < size {
            out.push_str(&format!(
                "{n:>6}\t    let {} = {}({});\n",
                self.dice.pick(WORDS),
                self.dice.pick(WORDS),
                self.dice.words(4)
            ));
            n += 1;
        }
        out
    }

    fn log(&mut self, size: usize) -> String {
        let mut out = String::new();
        while out.len() < size {
            let (ms, name) = (self.dice.below(5000), self.dice.words(3).replace(' ', "_"));
            out.push_str(&format!(
                "test part{}::{name} ... ok ({}.{:03} s)\n",
                self.dice.below(9),
                ms / 1000,
                ms % 1000
            ));
        }
        out.push_str("test result: ok. 214 passed; 0 failed; 3 ignored\n");
        out
    }

    fn report(&mut self, round: u64) -> io::Result<()> {
        let mut text = format!("## Results of part {round}\n\n{}.\n\n", self.dice.words(60));
        text.push_str("| case | throughput (MB/s) | theoretical max (MB/s) | p99 latency |\n|---|---|---|---|\n");
        for case in ["small", "medium", "large"] {
            let (rate, ms) = (self.dice.below(9000), self.dice.below(400));
            text.push_str(&format!("| {case} | {}.{} | 1200 | {ms} ms |\n", rate / 10, rate % 10));
        }
        text.push_str("\n| # | Severity | Finding | Status |\n|---|---|---|---|\n");
        for n in 1..=4 {
            text.push_str(&format!("| {n} | P{} | {} | ⚠️ open |\n", self.dice.below(4), self.dice.words(6)));
        }
        text.push_str(&format!("\n**Next steps**\n\n1. {}\n2. {}\n", self.dice.words(8), self.dice.words(8)));
        self.assistant(json!({ "type": "text", "text": text }))
    }
}
