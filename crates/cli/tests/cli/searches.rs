//! Searches that have not ended: `takeme status`, `takeme open`.

use rules::{Color, Game, Ruleset, line};
use store::{Access, Basis, CampaignKey, CampaignState, Store};

use crate::support::Place;

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
