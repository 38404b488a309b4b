//! Searches that have not ended: `takeme status`, `takeme open`.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::Stdio,
};

use crc::{CRC_64_XZ, Crc};
use rules::{Color, Game, Ruleset, line};
use rusqlite::Connection;
use store::{Access, Basis, CampaignKey, CampaignState, Store};

use crate::support::{Place, Ran, ended, send};

/// A place in whose database a search for a win of White after 1. e3 c6 is saved, of which nothing but its state is known.
fn searched() -> Place {
    let place = Place::proved(&["e3 d5"]);
    let path = place.path("takeme.db");
    let mut store = Store::open(path, Access::Write).expect("a database");
    let (game, _) = line::play(Game::initial(Ruleset::Joint), "1. e3 c6").expect("legal");
    let key = CampaignKey {
        ruleset: Ruleset::Joint,
        root: *game.position(),
        attacker: Color::White,
        basis: Basis::Tables,
    };
    let state = CampaignState {
        engine: "takeme 1.0".to_owned(),
        nodes: 12_345_678,
        seconds: 7_260.5,
        pn: 4_321,
        dn: 98_765,
        when: 1_790_000_000,
    };
    let mut writer = store.save_campaigns().expect("writable");
    writer.begin(&key, &state, true).expect("written");
    writer.commit().expect("written");
    place
}

#[test]
fn status_lists_searches_with_their_numbers_and_the_time_spent() {
    let place = searched();
    let text = place.ok(&["status"]);
    let told = "1. e3 c6: searched for a win of white, with tables: pn 4,321, dn 98,765, 12,345,678 nodes, 2 h 1 min (joint)";
    assert!(text.lines().any(|line| line == told), "{text}");
    assert!(
        text.contains("1 claim and 1 search under way in takeme.db"),
        "{text}"
    );
    assert!(!text.contains('%'), "{text}");
    let (code, objects) = place.json(&["status"]);
    assert_eq!(code, 0);
    let mut searches = objects.iter().filter(|object| object["kind"] == "search");
    let search = searches.next().expect("a search");
    assert_eq!(
        (&search["line"], &search["attacker"], &search["nodes"]),
        (&"e2e3 c7c6".into(), &"white".into(), &12_345_678.into())
    );
    assert_eq!(
        (&search["pn"], &search["dn"]),
        (&4_321.into(), &98_765.into())
    );
    assert_eq!(search["seconds"], 7_260.5);
    assert!(searches.next().is_none());
    for (rules, is_listed) in [("fics", true), ("variant2", false)] {
        let text = place.ok(&["status", "--rules", rules]);
        assert_eq!(text.contains("dn 98,765"), is_listed, "{text}");
    }
}

/// A place in which a search of 1. e3 f5 was ended by a limit on nodes.
fn interrupted() -> Place {
    let place = Place::new();
    let args = [
        "prove",
        "1. e3 f5",
        "--winner",
        "white",
        "--nodes",
        "150000",
        "--threads",
        "1",
    ];
    assert_eq!(place.run(&args).code, 3);
    place
}

#[test]
fn open_shows_the_moves_of_a_search_and_where_it_goes_on() {
    let place = interrupted();
    let text = place.ok(&["open", "1. e3 f5"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("1. e3 f5: searched for a win of white: pn "),
        "{text}"
    );
    assert!(
        lines[1].starts_with("open moves: ") && lines[1].contains(" of "),
        "{text}"
    );
    assert!(lines[2].starts_with("move "), "{text}");
    assert!(
        lines
            .last()
            .is_some_and(|line| line.starts_with("next: 2. ")),
        "{text}"
    );
    assert!(!text.contains('%'), "{text}");
    let object = place.object(&["open", "1. e3 f5"]);
    assert_eq!(
        (
            &object["status"],
            &object["attacker"],
            &object["nodes_total"]
        ),
        (&"open".into(), &"white".into(), &150_000.into())
    );
    let replies = object["replies"].as_array().expect("an array");
    let of_rules = place.object(&["eval", "1. e3 f5"]);
    assert_eq!(
        Some(replies.len()),
        of_rules["moves"].as_array().map(Vec::len)
    );
    let work: Vec<u64> = replies
        .iter()
        .filter_map(|reply| reply["nodes"].as_u64())
        .collect();
    assert!(work.is_sorted_by(|a, b| a >= b) && work[0] > 0, "{work:?}");
    // Heaviest and next are lines that can be played; and the search shows positions inside it, too.
    let first = replies[0]["move"].as_str().expect("a move");
    let heaviest = replies[0]["heaviest"].as_str().expect("a line");
    assert!(heaviest.starts_with(first), "{heaviest}");
    place.ok(&["eval", &format!("e2e3 f7f5 {heaviest}")]);
    let next = object["next"].as_str().expect("a line");
    place.ok(&["eval", &format!("e2e3 f7f5 {next}")]);
    let inner = format!("e2e3 f7f5 {heaviest}");
    let text = place.ok(&["open", &inner]);
    assert!(
        text.contains("within the search of 1. e3 f5: pn "),
        "{text}"
    );
}

/// Positions that leave no choice stand in no tree.
#[test]
fn open_follows_forced_moves_to_where_there_is_a_choice() {
    let place = Place::new();
    let args = [
        "prove",
        "1. e3",
        "--winner",
        "white",
        "--nodes",
        "30000",
        "--threads",
        "1",
    ];
    assert_eq!(place.run(&args).code, 3);
    let object = place.object(&["open", "1. e3 Na6"]);
    assert_eq!(object["line"], "e2e3 b8a6 f1a6 b7a6");
    let text = place.ok(&["open", "1. e3"]);
    assert!(
        text.contains("\nopen replies: ") && text.contains(" of 20"),
        "{text}"
    );
}

#[test]
fn open_tells_what_is_proved_and_what_is_not_searched() {
    let place = Place::proved(&["e3 d5"]);
    let text = place.ok(&["open", "1. e3 d5"]);
    assert!(text.starts_with("1. e3 d5: white wins with "), "{text}");
    assert_eq!(place.object(&["open", "1. e3 d5"])["status"], "proved");
    let ran = place.run(&["open", "1. e3 f5"]);
    ran.fails(3, &["1. e3 f5", "takeme.db", "takeme status"]);
    assert_eq!(ran.stdout, "");
}

/// What `status` says of the one search that is saved, and all parts of it.
fn saved(place: &Place) -> (String, Vec<(i64, Vec<u8>)>) {
    let told = place.ok(&["status"]);
    let mut searches = told.lines().filter(|line| line.contains("searched for"));
    let search = searches.next().expect("a search").to_owned();
    assert_eq!(searches.next(), None, "{told}");
    let connection = Connection::open(place.path("takeme.db")).expect("opened");
    let mut parts = connection
        .prepare("SELECT kind, bytes FROM campaign_part ORDER BY id")
        .expect("SQL");
    let parts = parts.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let parts = parts.expect("readable").map(|part| part.expect("readable"));
    (search, parts.collect())
}

/// Goes on with the search of a place for so many expansions, with these flags.
fn go_on(place: &Place, nodes: &str, flags: &[&str]) -> Ran {
    let mut args = vec!["prove", "1. e3 f5", "--winner", "white", "--threads", "1"];
    args.extend(["--nodes", nodes]);
    args.extend(flags);
    let ran = place.run(&args);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    ran
}

#[test]
fn a_search_stays_as_it_is_if_nothing_was_searched() {
    let place = interrupted();
    let before = saved(&place);
    go_on(&place, "0", &["--memory", "64M"]);
    assert!(saved(&place) == before);
    // A line that was not begun is no search.
    let place = Place::new();
    go_on(&place, "0", &[]);
    assert!(!place.ok(&["status"]).contains("searched for"));
}

#[test]
fn other_tables_do_not_replace_a_search_that_has_done_more() {
    let place = Place::new();
    place.ok(&["tables", "generate", "--men", "2"]);
    go_on(&place, "20000", &[]);
    let before = saved(&place);
    fs::create_dir_all(place.path("none")).expect("a directory");
    for nodes in ["0", "10000"] {
        let ran = go_on(&place, nodes, &["--tables", "none"]);
        assert!(
            ran.stderr.contains(
                "1. e3 f5, for a win of white: not all that was saved is of use: other endgame tables were used; starting anew; \
                 what was saved stays until this search has done more than its 20,000 expansions"
            ),
            "{}",
            ran.stderr
        );
        assert!(saved(&place) == before);
    }
    let ran = go_on(&place, "1000", &[]);
    assert!(
        ran.stderr.contains("resuming 1. e3 f5 at 20,000"),
        "{}",
        ran.stderr
    );
    // What has done more comes in its place, and nothing of the other stays.
    go_on(&place, "30000", &["--tables", "none"]);
    let ran = go_on(&place, "0", &["--tables", "none"]);
    assert!(
        ran.stderr.contains("resuming 1. e3 f5 at 30,000"),
        "{}",
        ran.stderr
    );
}

/// It said that an unfinished search was kept and that the same command would go on from there, but that one begins anew.
#[test]
fn an_interrupted_run_does_not_count_a_search_that_it_only_spares() {
    let place = Place::new();
    place.ok(&["tables", "generate", "--men", "2"]);
    go_on(&place, "150000", &[]);
    fs::create_dir_all(place.path("none")).expect("a directory");
    let args = ["prove", "1. e3 f5", "--winner", "white", "--tables", "none"];
    let mut child = place
        .command(&args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut told = String::new();
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    stderr.read_line(&mut told).expect("read");
    assert!(told.contains("starting anew"), "{told}");
    send("-INT", &child);
    stderr.read_to_string(&mut told).expect("read");
    assert_eq!(ended(child).status.code(), Some(130), "{told}");
    assert!(told.contains("interrupted: 0 of 1 line answered"), "{told}");
    assert!(!told.contains("unfinished search"), "{told}");
}

/// Makes the search of a place one that another version of the program has saved.
fn of_another_version(place: &Place) {
    let connection = Connection::open(place.path("takeme.db")).expect("opened");
    let head = "SELECT bytes FROM campaign_part WHERE kind = 1";
    let head = connection.query_row(head, [], |row| row.get(0));
    let mut head: Vec<u8> = head.expect("a head");
    head.truncate(head.len() - 8);
    // Behind the frame and a length the version begins.
    let version = &mut head[10..];
    assert!(version.starts_with(env!("CARGO_PKG_VERSION").as_bytes()));
    version[0] = b'9';
    let checksum = Crc::<u64>::new(&CRC_64_XZ).checksum(&head);
    head.extend(checksum.to_le_bytes());
    let sql = "UPDATE campaign_part SET bytes = ?1 WHERE kind = 1";
    connection.execute(sql, [head]).expect("changed");
}

#[test]
fn another_version_only_adds_to_the_proven_positions_of_a_search_that_has_done_more() {
    let place = Place::new();
    go_on(&place, "20000", &[]);
    of_another_version(&place);
    let (state, before) = saved(&place);
    // Another order proves other positions.
    let ran = go_on(&place, "19000", &["--prefer", "1. e3 f5: b3"]);
    assert!(
        ran.stderr.contains("another version of the program made it; going on with the ")
            && ran.stderr.contains(
                " positions proven so far; what was saved stays until this search has done more than its 20,000 expansions"
            ),
        "{}",
        ran.stderr
    );
    let (state_now, now) = saved(&place);
    assert_eq!(state_now, state);
    assert!(now.starts_with(&before) && now.len() > before.len());
    assert!(now[before.len()..].iter().all(|(kind, _)| *kind == 2));
    assert!(place.ok(&["db", "check"]).contains("no damage"));

    // Its own expansions count, not those of the other.
    go_on(&place, "25000", &[]);
    let ran = go_on(&place, "0", &[]);
    assert!(
        ran.stderr.contains("resuming 1. e3 f5 at 45,000") && !ran.stderr.contains("another"),
        "{}",
        ran.stderr
    );
}

fn change(place: &Place, sql: &str) {
    let connection = Connection::open(place.path("takeme.db")).expect("opened");
    connection.execute_batch(sql).expect("changed");
}

#[test]
fn db_check_finds_what_is_damaged_in_a_search() {
    let place = Place::new();
    go_on(&place, "20000", &[]);
    assert!(place.ok(&["db", "check"]).contains("no damage found"));
    let kept = fs::read(place.path("takeme.db")).expect("readable");
    let missing = "DELETE FROM campaign_part WHERE kind =";
    let flipped = "UPDATE campaign_part SET bytes = CAST(substr(bytes, 1, 20) || x'55' || substr(bytes, 22) AS BLOB) WHERE kind =";
    for (sql, kind, told) in [
        (missing, 1, "its head is missing"),
        (
            missing,
            2,
            "parts of its log of proven positions are missing",
        ),
        (missing, 3, "nodes are missing"),
        (missing, 4, "parts of its table are missing"),
        (flipped, 1, "its head is damaged"),
        (flipped, 2, "its log of proven positions is damaged"),
        (flipped, 3, "its graph is damaged"),
        (flipped, 4, "its table is damaged"),
    ] {
        fs::write(place.path("takeme.db"), &kept).expect("written");
        change(&place, &format!("{sql} {kind}"));
        let ran = place.run(&["db", "check"]);
        assert_eq!(ran.code, 5, "{sql} {kind}: {}", ran.stdout);
        let problem = format!("the search of 1. e3 f5 for a win of white: {told}");
        let whole = problem.replace("white: nodes", "white: its graph is damaged: nodes");
        assert!(ran.stdout.starts_with(&whole), "{}", ran.stdout);
        assert!(ran.stdout.ends_with(": 1 problem\n"), "{}", ran.stdout);
    }
}

#[test]
fn a_senseless_row_does_not_hide_the_other_searches() {
    let place = Place::new();
    go_on(&place, "5000", &[]);
    let columns = "root, ruleset, basis, root_fen, engine, nodes, seconds, pn, dn, saved_at";
    let sql = &format!(
        "INSERT INTO campaign (id, attacker, {columns}) SELECT 99, 'red', {columns} FROM campaign"
    );
    change(&place, sql);
    let ran = place.run(&["status"]);
    ran.fails(
        5,
        &["takeme.db: campaign row 99: no side, the search of rnbqkbnr/"],
    );
    assert!(
        ran.stdout.contains("1. e3 f5: searched for"),
        "{}",
        ran.stdout
    );
    assert!(place.ok(&["open", "1. e3 f5"]).starts_with("1. e3 f5"));
    let ran = place.run(&["db", "check"]);
    assert_eq!(ran.code, 5);
    assert!(
        ran.stdout.contains("campaign row 99: no side"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_line_of_a_search_is_open_to_query() {
    let place = searched();
    let text = place.run(&["query", "1. e3 c6"]);
    assert_eq!(text.code, 3);
    assert!(
        text.stdout
            .starts_with("1. e3 c6: open, a search of it has not ended"),
        "{}",
        text.stdout
    );
    for (rules, status) in [("joint", "open"), ("fics", "open"), ("variant2", "unknown")] {
        let (code, objects) = place.json(&["query", "1. e3 c6", "--rules", rules]);
        assert_eq!(
            (code, &objects[0]["status"]),
            (3, &status.into()),
            "{rules}"
        );
    }
    let (_, objects) = place.json(&["query", "1. e3 c5"]);
    assert_eq!(objects[0]["status"], "unknown");
}

#[test]
fn a_search_that_a_proof_under_another_ruleset_answers_is_forgotten() {
    let place = Place::new();
    let args = ["prove", "1. e3 d5", "--rules", "international"];
    let limited = [&args[..], &["--nodes", "10"]].concat();
    assert_eq!(place.run(&limited).code, 3);
    let joint = fs::read(place.path("takeme.db")).expect("readable");
    assert!(place.ok(&["status"]).contains("searched for"));
    place.ok(&["prove", "1. e3 d5"]);
    assert!(!place.ok(&["status"]).contains("searched for"));

    // Programs before this one left it there.
    fs::write(place.path("other.db"), joint).expect("written");
    change(
        &place,
        "ATTACH 'OTHER' AS other;
         INSERT INTO campaign SELECT * FROM other.campaign;
         INSERT INTO campaign_part SELECT * FROM other.campaign_part;"
            .replace("OTHER", &place.path("other.db").display().to_string())
            .as_str(),
    );
    assert!(place.ok(&["status"]).contains("searched for"));
    assert_eq!(place.object(&args)["source"], "database");
    assert!(!place.ok(&["status"]).contains("searched for"));
    assert!(place.ok(&["db", "check"]).contains("no damage"));
}
