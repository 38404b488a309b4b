//! `takeme verify`.

use std::fs;

use crate::support::{Place, keys, with_common_keys};

const KEYS: [&str; 11] = [
    "line",
    "fen",
    "verdict",
    "winner",
    "positions",
    "plies",
    "assumptions",
    "defects",
    "first_defect",
    "reason",
    "seconds",
];

#[test]
fn all_claims_are_verified() {
    let place = Place::proved(&["e3 d5", "e4"]);
    let (code, objects) = place.json(&["verify"]);
    assert_eq!((code, objects.len()), (0, 2));
    for object in &objects {
        assert_eq!(keys(object), with_common_keys(&KEYS));
        assert_eq!(object["verdict"], "verified");
        assert_eq!(object["defects"], 0);
        assert!(object["first_defect"].is_null() && object["reason"].is_null());
        let assumptions = object["assumptions"].to_string();
        assert!(
            assumptions.contains("draw rules: none") && assumptions.contains("tables: none"),
            "{assumptions}"
        );
    }
    // In the order in which they were stored, which threads decide.
    let mut lines: Vec<_> = objects
        .iter()
        .map(|object| object["line"].as_str())
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, [Some("e2e3 d7d5"), Some("e2e4")]);
    let text = place.ok(&["verify", "e4"]);
    assert!(text.starts_with("1. e4: black wins: verified, "), "{text}");
    assert!(text.contains("(joint, "), "{text}");
    // Part of a proof, and what is not stored.
    place.ok(&["verify", "e3 d5 Qg4"]);
    place.run(&["verify", "a3"]).fails(3, &["no proof"]);
}

#[test]
fn only_claims_that_answer_for_the_ruleset_are_verified_and_listed() {
    let place = Place::proved(&["e3 d5", "e4"]);
    place.ok(&["prove", "e3 d6", "--rules", "fics"]);
    for (rules, claims) in [
        (None, 3),
        (Some("joint"), 2),
        // A claim under joint answers for fics and international.
        (Some("fics"), 3),
        (Some("international"), 2),
        (Some("variant2"), 0),
    ] {
        let flags = rules.map_or(Vec::new(), |rules| vec!["--rules", rules]);
        let with = |command| [&[command][..], &flags].concat();
        let (code, objects) = place.json(&with("verify"));
        assert_eq!((code, objects.len()), (0, claims), "{rules:?}");
        let (_, objects) = place.json(&with("status"));
        let listed = objects.iter().filter(|object| object["kind"] == "claim");
        assert_eq!(listed.count(), claims, "{rules:?}");
        let sets = objects.iter().filter(|object| object["kind"] == "set");
        assert_eq!(
            sets.count(),
            claims,
            "{rules:?}: each claim has a winner of its own"
        );
    }
    let ran = place.run(&["verify", "--rules", "variant2"]);
    assert!(
        ran.stderr.contains("no claims for variant2"),
        "{}",
        ran.stderr
    );
    let text = place.ok(&["status", "--rules", "joint"]);
    assert!(
        text.ends_with("2 claims for joint in takeme.db\n"),
        "{text}"
    );
}

#[test]
fn the_verdict_is_recorded() {
    let place = Place::new();
    place.ok(&["prove", "e3 d5", "--no-verify"]);
    assert!(place.ok(&["status"]).contains("not verified"));
    place.ok(&["verify"]);
    assert!(place.ok(&["status"]).contains("verified by takeme-verify"));
}

#[test]
fn certificates_are_verified() {
    let place = Place::proved(&["e4"]);
    place.ok(&["export", "e4", "--format", "cert", "--output", "p.cert"]);
    let object = place.object(&["verify", "--file", "p.cert"]);
    let expected = [&KEYS[..], &["file"]].concat();
    assert_eq!(keys(&object), with_common_keys(&expected));
    assert_eq!(object["file"], "p.cert");
    assert_eq!(
        (&object["verdict"], &object["winner"], &object["line"]),
        (&"verified".into(), &"black".into(), &"e2e4".into())
    );
    let bytes = fs::read(place.path("p.cert")).expect("written");
    fs::write(place.path("cut.cert"), &bytes[..bytes.len() - 3]).expect("written");
    let (code, objects) = place.json(&["verify", "--file", "cut.cert"]);
    assert_eq!((code, &objects[0]["verdict"]), (5, &"damaged".into()));
    assert!(objects[0]["reason"].is_string());
    fs::write(place.path("text.cert"), "no certificate").expect("written");
    assert_eq!(place.run(&["verify", "--file", "text.cert"]).code, 5);
    place
        .run(&["verify", "--file", "none.cert"])
        .fails(2, &["none.cert"]);
}

#[test]
fn a_rejected_certificate_names_the_moves_to_the_defect() {
    let place = Place::proved(&["e4"]);
    place.ok(&["export", "e4", "--format", "cert", "--output", "p.cert"]);
    let mut bytes = fs::read(place.path("p.cert")).expect("written");
    // The last choice becomes one that no position has, and the checksum is made to fit.
    let at = bytes.len() - 9;
    bytes[at] = 200;
    let (body, sum) = bytes.split_at_mut(at + 1);
    sum.copy_from_slice(&verify::crc64_xz(body).to_le_bytes());
    fs::write(place.path("bad.cert"), &bytes).expect("written");
    let (code, objects) = place.json(&["verify", "--file", "bad.cert"]);
    assert_eq!((code, &objects[0]["verdict"]), (4, &"rejected".into()));
    assert!(objects[0]["defects"].as_u64() >= Some(1));
    let path = objects[0]["first_defect"].as_str().expect("moves");
    place.ok(&["eval", &format!("e4 {path}")]);
    // Nothing of it is taken in.
    let other = Place::new();
    let file = place.path("bad.cert");
    let ran = other.run(&["import", file.to_str().expect("UTF-8"), "--format", "cert"]);
    ran.fails(4, &["nothing was stored", "rejected"]);
    assert!(!other.path("takeme.db").exists());
}
