//! The first inputs of every name: the repository's fixtures, and those in wrappers.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

/// Texts as agents and programs print them.
const TEXTS: &[&str] = &[
    "| Batch | Time (ms) | tok/s |\n|---|---:|---:|\n| 1 | **12.5** | 1,024 |\n| 8 | 31 ± 2 | 2.1k |\n\n1. [P1] Slow: `a.rs:12`\n2. Speedup 2.3x\n",
    "- [x] build it\n- [ ] **P0** measure it (12 ms → 8 ms)\n\nAll 12 tests pass; GPU 3.2x faster than CPU.\n---\ntest result: ok. 12 passed; 0 failed; 1 ignored\n",
    "Done.\n---\n| model | size | params | backend | ngl | test | t/s |\n| --- | ---: | ---: | --- | --: | --- | ---: |\n| q 7B | 3.8 GiB | 7.2 B | CUDA | 99 | pp512 | 1200.50 ± 3.20 |\n",
    "Done.\n---\nBenchmark 1: ./a\n  Time (mean ± σ):      12.3 ms ±   0.4 ms    [User: 10.1 ms, System: 2.0 ms]\n  Range (min … max):    11.9 ms …  13.4 ms    200 runs\n",
    "Done.\n---\nsort/1000               time:   [1.2345 µs 1.2456 µs 1.2567 µs]\n                        change: [-5.1% -4.2% -3.1%] (p = 0.00 < 0.05)\nBM_a/8      123 ns        122 ns      5600000\n",
    "{\"metric\": \"rate\", \"value\": 12.5}\nname,ms,ops\na,1.5,200\nb,2.5,100\n",
];

/// Writes a folder for each name.
pub fn write(to: &Path) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let read = |name: &str| fs::read(fixtures.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let put = |name: &str, n: usize, bytes: &[u8]| {
        fs::create_dir_all(to.join(name)).expect("a folder");
        fs::write(to.join(name).join(format!("seed{n}")), bytes).expect("a seed");
    };
    let single = [
        ("claude-code", "session.jsonl"),
        ("claude-code-stream", "session.jsonl"),
        ("codex", "session.jsonl"),
        ("opencode-export", "session.json"),
        ("opencode-export", "child.json"),
        ("opencode-db", "session.db"),
        ("opencode-events", "session.jsonl"),
        ("opencode-markdown", "session.md"),
        ("messages", "session.json"),
    ];
    for (n, (format, file)) in single.iter().enumerate() {
        let bytes = read(&format!("{format}/{file}"));
        put(format, n, &bytes);
        put("packed", n * 5, &gzip(&bytes));
        put("packed", n * 5 + 1, &zstd::encode_all(&bytes[..], 3).expect("zstd"));
        put("packed", n * 5 + 2, &zip(file, &bytes));
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(3000)]);
        put("packed", n * 5 + 3, &[0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect::<Vec<u8>>());
        put("packed", n * 5 + 4, &[0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect::<Vec<u8>>());
    }
    put("opencode-storage", 0, &tree(&fixtures.join("opencode-storage")));
    put("opencode-rows", 0, rows(&fixtures.join("opencode-db/session.db")).as_bytes());
    for (n, text) in TEXTS.iter().enumerate() {
        put("text", n, text.as_bytes());
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).expect("gzip");
    out.finish().expect("gzip")
}

fn zip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    out.start_file(name, zip::write::SimpleFileOptions::default()).expect("zip");
    out.write_all(bytes).expect("zip");
    out.finish().expect("zip").into_inner()
}

/// The files of a folder, in order of path.
fn tree(folder: &Path) -> Vec<u8> {
    let (mut files, mut folders) = (Vec::<PathBuf>::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.iter().flat_map(|f| [b"=== x\n", &fs::read(f).expect("a file")[..], b"\n"].concat()).collect()
}

/// The rows of a database as `rows` in the target reads them.
fn rows(path: &Path) -> String {
    let db = rusqlite::Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the database");
    let queries = [
        "SELECT 's' || char(9) || id || char(9) || coalesce(parent_id, '') || char(9) || title || char(9) || coalesce(revert, '') FROM session",
        "SELECT 'm' || char(9) || id || char(9) || session_id || char(9) || char(9) || data FROM message",
        "SELECT 'p' || char(9) || id || char(9) || message_id || char(9) || session_id || char(9) || data FROM part",
        "SELECT 'v' || char(9) || id || char(9) || session_id || char(9) || type || char(9) || data FROM session_message",
    ];
    let mut out = String::new();
    for query in queries {
        let Ok(mut statement) = db.prepare(query) else { continue };
        let found = statement.query_map([], |row| row.get::<_, String>(0)).expect("rows");
        found.flatten().for_each(|line| out.push_str(&(line.replace('\n', " ") + "\n")));
    }
    out
}
