//! The PGN tag `Variant`: which of our rulesets a game of another program belongs to (field case B30).

use rules::{Class, Ruleset};

/// Names that other programs and we write, in lower case, with the class in whose rulesets such a game can be played.
const NAMES: [(&str, Class); 14] = [
    ("antichess", Class::Antichess),
    ("anti", Class::Antichess),
    ("losing chess", Class::Antichess),
    ("losing", Class::Antichess),
    // Elsewhere also a game with castling; such a game stops at its first castling move, which is illegal here.
    ("giveaway", Class::Antichess),
    ("suicide", Class::Antichess),
    ("suicide chess", Class::Antichess),
    ("losing chess variant 2", Class::Variant2),
    ("losing chess variant 3", Class::Variant34),
    ("losing chess variant 4", Class::Variant34),
    ("variant2", Class::Variant2),
    ("variant3", Class::Variant34),
    ("variant4", Class::Variant34),
    ("extinction", Class::Extinction),
];

/// Whether a game with this tag can be read under `ruleset`.
///
/// # Errors
///
/// No ruleset's games are called so, or those of another class.
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
        Some((_, class)) if *class != ruleset.class() => {
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
        use Ruleset::{Extinction, Fics, International, Joint, Variant2, Variant3, Variant4};
        let main_game: &[Ruleset] = &[International, Fics, Joint];
        for (tag, rulesets) in [
            ("Antichess", main_game),
            ("antichess", main_game),
            ("anti", main_game),
            ("Giveaway", main_game),
            ("Suicide", main_game),
            ("Suicide chess", main_game),
            ("Losing chess variant 2", &[Variant2]),
            ("Losing chess variant 3", &[Variant3, Variant4]),
            ("variant4", &[Variant3, Variant4]),
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
