//! The PGN tag `Variant`: which of our rulesets a game of another program belongs to (field case B30).

use rules::Ruleset;

use Ruleset::{Extinction, Fics, International, Joint, Variant2, Variant3, Variant4};

/// Names that other programs and we write, in lower case, with the rulesets that such a game can be read under: its own, and `joint`,
/// whose wins are wins there.
const NAMES: [(&str, &[Ruleset]); 17] = [
    ("antichess", &[International, Joint]),
    ("anti", &[International, Joint]),
    ("international", &[International, Joint]),
    // Elsewhere also a game with castling; such a game stops at its first castling move, which is illegal here.
    ("giveaway", &[International, Joint]),
    ("suicide", &[Fics, Joint]),
    ("suicide chess", &[Fics, Joint]),
    ("fics", &[Fics, Joint]),
    ("joint", &[Joint]),
    // The game under whichever stalemate rule.
    ("losing chess", &[International, Fics, Joint]),
    ("losing", &[International, Fics, Joint]),
    ("losing chess variant 2", &[Variant2]),
    ("losing chess variant 3", &[Variant3]),
    ("losing chess variant 4", &[Variant4]),
    ("variant2", &[Variant2]),
    ("variant3", &[Variant3]),
    ("variant4", &[Variant4]),
    ("extinction", &[Extinction]),
];

/// Whether a game with this tag can be read under `ruleset`.
///
/// # Errors
///
/// No ruleset's games are called so, or those of others.
pub(crate) fn check(tag: &str, ruleset: Ruleset) -> Result<(), String> {
    let name = tag.trim().to_ascii_lowercase();
    if name == "losers" {
        return Err(
            "the game's variant is losers, which treats stalemates as none of our rulesets does"
                .to_owned(),
        );
    }
    let known = NAMES.iter().find(|(known, _)| *known == name);
    match known {
        None => Err(format!(
            "the game's variant is {tag}, which is no ruleset here"
        )),
        Some((_, rulesets)) if !rulesets.contains(&ruleset) => {
            Err(format!("the game's variant is {tag}, not {ruleset}"))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the rules text, section 6.
    #[test]
    fn a_tag_is_taken_only_for_the_rulesets_it_can_mean() {
        let main_game: &[Ruleset] = &[International, Fics, Joint];
        let antichess: &[Ruleset] = &[International, Joint];
        let suicide: &[Ruleset] = &[Fics, Joint];
        for (tag, rulesets) in [
            ("Antichess", antichess),
            ("antichess", antichess),
            ("anti", antichess),
            ("Giveaway", antichess),
            ("Suicide", suicide),
            ("Suicide chess", suicide),
            ("Losing chess variant 2", &[Variant2]),
            ("Losing chess", main_game),
            // Who has won by a mate differs.
            ("Losing chess variant 3", &[Variant3]),
            ("Losing chess variant 4", &[Variant4]),
            ("variant4", &[Variant4]),
            ("fics", suicide),
            ("joint", &[Joint]),
            ("Extinction", &[Extinction]),
            ("losers", &[]),
            ("Crazyhouse", &[]),
            ("Standard", &[]),
            ("", &[]),
        ] {
            for ruleset in Ruleset::ALL {
                let taken = check(tag, ruleset);
                assert_eq!(
                    taken.is_ok(),
                    rulesets.contains(&ruleset),
                    "{tag} {ruleset}"
                );
            }
        }
        assert_eq!(
            check("Extinction", Joint),
            Err("the game's variant is Extinction, not joint".to_owned())
        );
    }
}
