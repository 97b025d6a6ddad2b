//! Which targets become links, and under which numbers.

use super::*;

#[test]
fn a_target_has_one_number_and_another_has_another() {
    let links = Links::on();
    let one = links.number("https://a.example/x").unwrap();
    let other = links.number("https://b.example").unwrap();
    assert_ne!(one, other);
    assert_eq!(links.clone().number("https://a.example/x"), Some(one));
    let begin = format!("\x1b]8;id={one};https://a.example/x\x1b\\");
    assert_eq!(links.begin(one), Some(begin));
    assert_eq!((links.begin(0), links.begin(other + 1)), (None, None));
}

#[test]
fn nothing_has_a_number_where_links_are_off() {
    let links = Links::default();
    assert!(!links.are_on() && Links::on().are_on());
    assert_eq!((links.number("https://a.example"), links.begin(1)), (None, None));
}

#[test]
fn what_is_kept_is_bounded_and_what_is_known_stays() {
    let links = Links::on();
    let target = |n: usize| format!("https://a.example/{n}/{}", "x".repeat(1_900));
    let known = (0..1_000).take_while(|n| links.number(&target(*n)).is_some()).count();
    assert!((100..=MOST_BYTES / 1_900).contains(&known), "{known}");
    assert_eq!(links.number(&target(known)), None);
    assert_eq!(links.number(&target(0)), Some(1));
}

#[test]
fn addresses_that_show_something_pass_and_are_printable() {
    for (target, address) in [
        ("https://a.example/x?y=1&z=2;3#w", "https://a.example/x?y=1&z=2;3#w"),
        ("HTTP://A.example:8080", "HTTP://A.example:8080"),
        ("http://localhost:3000/", "http://localhost:3000/"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("https://a.example/a b", "https://a.example/a%20b"),
        ("https://a.example/é/漢", "https://a.example/%C3%A9/%E6%BC%A2"),
        ("https://a.example/%20%zz", "https://a.example/%20%zz"),
        ("mailto:me@a.example", "mailto:me@a.example"),
    ] {
        assert_eq!(address::of(target).as_deref(), Some(address), "{target}");
    }
}

#[test]
fn hostile_targets_are_no_links() {
    for target in [
        "",
        "guide.md",
        "/etc/passwd",
        "//a.example/x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "ssh://a.example",
        "vscode://x/y",
        "x-man-page://ls",
        "https://",
        "https:///x",
        "https://./x",
        "https://here.example@elsewhere.example/",
        "https://here.example\\@elsewhere.example/",
        "https://here.example\\x",
        "https://а.example",
        "https://a.example:port/",
        "https://a.example:80:80/",
        "https://a.example:123456/",
        "https://[::1/x",
        "https://[x]/",
        "https://a.example/\x1b\\",
        "https://a.example/\x1b]8;;\x07",
        "https://a.example/\u{9c}",
        "https://a.example/\u{7}x",
        "https://a.example/\nx",
        "https://a.example/\u{202e}x",
        "https://a.example/\u{200b}x",
        "https://a.exa;mple/",
        "mailto:",
        "mailto:me",
        "mailto:me@",
        "mailto:me@a.example?attach=/etc/passwd",
        "mailto:me@a.example,you@b.example",
    ] {
        assert_eq!(address::of(target), None, "{target:?}");
    }
}

#[test]
fn the_length_is_that_of_what_is_sent() {
    let target = |length: usize| format!("https://a.example/{}", "x".repeat(length - 18));
    assert_eq!(address::of(&target(2_083)).map(|address| address.len()), Some(2_083));
    assert_eq!(address::of(&target(2_084)), None);
    // Three bytes for each of the two.
    assert_eq!(
        address::of(&format!("https://a.example/{}", "é".repeat(344))).unwrap().len(),
        2_082
    );
    assert_eq!(address::of(&format!("https://a.example/{}", "é".repeat(345))), None);
}

#[test]
fn a_text_that_names_another_place_is_seen_through() {
    for (text, target) in [
        ("google.com", "https://evil.example/"),
        ("https://google.com", "https://evil.example/"),
        ("see google.com here", "https://evil.example/google.com"),
        ("`google.com`", "https://evil.example/"),
        ("**GOOGLE.COM!**", "https://evil.example/"),
        ("(google.com)", "https://google.com.evil.example/"),
        ("google.com/maps", "https://evil.example/"),
        ("https://github.com/good/repo", "https://github.com/evil/repo"),
        ("google。com", "https://evil.example/"),
        ("gооgle.com", "https://google.com/"),
        ("10.0.0.1", "http://10.0.0.2/"),
        ("localhost:3000", "https://evil.example/"),
        ("me@a.example", "mailto:you@a.example"),
        ("me@a.example", "https://a.example"),
        ("at:google.com", "https://evil.example/"),
    ] {
        assert!(address::is_claimed_by(text, target), "{text} {target}");
    }
}

#[test]
fn a_text_that_names_no_place_or_the_right_one_says_nothing_false() {
    for (text, target) in [
        ("the guide", "https://a.example/guide"),
        ("a.example", "https://a.example/guide"),
        ("A.example", "https://www.a.example/guide"),
        ("www.a.example", "http://a.example:8080/"),
        ("https://a.example/guide/", "https://a.example/guide"),
        ("a.example/guide", "https://a.example/guide"),
        ("me@a.example", "mailto:me@a.example"),
        ("mail to me@a.example, please", "mailto:me@a.example"),
        ("version 0.30.2", "https://a.example/"),
        ("e.g. this...", "https://a.example/"),
        ("src/main.rs", "https://a.example/src/main.rs"),
        ("10.0.0.1", "http://10.0.0.1/"),
        ("", "https://a.example/"),
    ] {
        assert!(!address::is_claimed_by(text, target), "{text} {target}");
    }
}
