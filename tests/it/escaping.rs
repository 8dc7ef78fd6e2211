//! Text of a transcript in what a page or a sheet reads.

use assert_cmd::Command;
use serde_json::json;

#[test]
fn nothing_from_a_transcript_stays_active_in_what_a_page_or_a_sheet_reads() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hostile.json");
    let messages = json!([
        {"role": "user", "content": "<img src=x onerror=alert(1)> ![p](http://e.example/p.png)"},
        {"role": "assistant", "content": "- [ ] <script>a</script> first\n- [ ] second\n\n| model | output tok/s |\n|---|---|\n| =cmd()\u{202e} | 12.5 |"},
    ]);
    std::fs::write(&file, messages.to_string()).unwrap();
    let printed = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_turnpoint")).args(args).arg(&file).arg("-q").output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    for command in ["plan", "bench", "audit"] {
        let page = printed(&[command, "--format", "md"]);
        assert!(page.contains("\\<img src"), "{command}: {page}");
        for active in [" <img", "(http:", " <script"] {
            assert!(!page.contains(active), "{command}: {page}");
        }
    }
    let sheet = printed(&["bench", "--format", "csv"]);
    assert!(sheet.contains(",12.5,") && !sheet.contains('\u{202e}') && !sheet.contains(",=cmd"), "{sheet}");
}
