use super::*;

fn read(text: &str) -> Vec<(f64, String)> {
    with_units(text).into_iter().map(|f| (f.value, f.unit.map(|u| u.name).unwrap_or_default())).collect()
}

fn one(text: &str) -> Figure {
    with_units(text).into_iter().next().unwrap_or_else(|| panic!("no figure in {text}"))
}

#[test]
fn numbers_in_every_dress() {
    for (text, value) in [
        ("8,409 tok/s", 8409.0),
        ("2 409 tok/s", 2409.0),
        ("2\u{202f}409 tok/s", 2409.0),
        ("~1.3k tok/s", 1300.0),
        ("5.5e3 tok/s", 5500.0),
        ("**161.2** tok/s", 161.2),
        ("1_000_000 tok/s", 1e6),
        ("0,5 tok/s", 0.5),
        ("12,47 tok/s", 12.47),
        ("1,234,567.8 tok/s", 1_234_567.8),
        ("batch 2 409 tok/s", 409.0),
        ("= 640 output tokens/s", 640.0),
    ] {
        assert_eq!(read(text), [(value, "tok/s".to_owned())], "{text}");
    }
    assert!(one("~1.3k tok/s").approx && one("about 5 ms").approx && !one("5 ms").approx);
    assert_eq!(one("640 output tokens/s").adjective.as_deref(), Some("output"));
    assert_eq!((one("(−20 %)").value, one("≤ 300 ms").bound), (-20.0, Some('≤')));
}

#[test]
fn parts_of_words_versions_times_and_ids_are_none() {
    for text in [
        "v0.19.0 ms",
        "a8417 ms",
        "PR #417 ms",
        "12:30 s",
        "x_1 ms",
        "gpt-4 s",
        "1.2.3 ms",
        "10.0.0.1 ms",
        "[msg 12]",
        "8/10 ms",
        "2024-05-01",
        "file.3 s",
        "sha1 s",
        "$5 s",
        "port 8080",
        "3D",
        "5th",
    ] {
        assert_eq!(read(text), [], "{text}");
    }
}

#[test]
fn pairs_ranges_and_deviations() {
    let range = one("774-778 tok/s");
    assert_eq!((range.value, range.second, range.is_range()), (774.0, Some((Between::Dash, 778.0)), true));
    assert_eq!(one("10.4 → 13.0 tok/s").second, Some((Between::Arrow, 13.0)));
    assert_eq!(one("3 to 5 minutes").second, Some((Between::To, 5.0)));
    assert_eq!(one("120 ms → 0.09 s").second, Some((Between::Arrow, 90.0)));
    assert_eq!((one("101.2 ± 0.4 ms").pm, one("200 ms ±1%").pm), (Some(0.4), Some(2.0)));
    assert_eq!(of_cell("**27.0** ← best").map(|f| (f.value, f.unit)), Some((27.0, None)));
    assert_eq!(of_cell("TP=4"), None);
    assert_eq!(of_cell("n/a"), None);
}

#[test]
fn a_time_in_two_units_is_one_figure() {
    let all = |text: &str| read(text);
    let seconds = |v: f64| vec![(v, "s".to_owned())];
    assert_eq!(all("7 min 45 s"), seconds(465.0));
    assert_eq!(all("3m05s"), seconds(185.0));
    assert_eq!(all("3m 5.5s"), seconds(185.5));
    assert_eq!(all("2 h 20 min 1 s"), seconds(8401.0));
    assert_eq!(all("2 h 20 min"), [(140.0, "min".to_owned())]);
    assert_eq!(all("9 s 4 min"), [(9.0, "s".to_owned()), (4.0, "min".to_owned())]);
    assert_eq!(all("9 ms, 14 ms").len(), 2);
}

#[test]
fn no_text_makes_it_panic() {
    for text in
        ["1", "−", "±1", "1±", "1 to ", "1→", "1e999 s", "9".repeat(400).as_str(), "1,", "1 \u{a0}", "²5 ms", "1.e5s"]
    {
        with_units(text);
        of_cell(text);
    }
}
