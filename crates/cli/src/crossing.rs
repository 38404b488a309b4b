//! Rulesets, claims, positions and moves as they cross between the prover's side and the verifier's.
//!
//! This is the only place where the two meet: a position crosses as the men on its squares, and a move as its squares.
//! Nothing here is trusted. If it put a position wrong, the move found for it would be illegal, or lead nowhere.

use proof::{Claim, TableId};
use rules::{Color, Move, Position, PositionBuilder, Role, Ruleset, Square, fen};

pub(crate) fn ruleset_to_verifier(ruleset: Ruleset) -> verify::Ruleset {
    match ruleset {
        Ruleset::International => verify::Ruleset::International,
        Ruleset::Fics => verify::Ruleset::Fics,
        Ruleset::Joint => verify::Ruleset::Joint,
        Ruleset::Variant2 => verify::Ruleset::Variant2,
        Ruleset::Variant3 => verify::Ruleset::Variant3,
        Ruleset::Variant4 => verify::Ruleset::Variant4,
        Ruleset::Extinction => verify::Ruleset::Extinction,
    }
}

/// The tables that a certificate lists.
pub(crate) fn tables_of_certificate(certificate: &verify::Certificate<'_>) -> Vec<TableId> {
    let tables = certificate.tables().iter();
    tables
        .map(|table| TableId {
            name: table.name.clone(),
            sha256: table.sha256,
        })
        .collect()
}

pub(crate) fn claim_to_verifier(claim: &Claim) -> Result<verify::Claim, verify::FenError> {
    let ruleset = ruleset_to_verifier(claim.ruleset);
    let winner = match claim.winner {
        Color::White => verify::Color::White,
        Color::Black => verify::Color::Black,
    };
    verify::Claim::new(ruleset, &fen::write_position(&claim.root), winner)
}

pub(crate) fn claim_from_verifier(claim: &verify::Claim) -> Claim {
    Claim {
        ruleset: ruleset_from_verifier(claim.ruleset),
        root: position_from_verifier(&claim.root),
        winner: color_from_verifier(claim.winner),
    }
}

pub(crate) fn ruleset_from_verifier(ruleset: verify::Ruleset) -> Ruleset {
    match ruleset {
        verify::Ruleset::International => Ruleset::International,
        verify::Ruleset::Fics => Ruleset::Fics,
        verify::Ruleset::Joint => Ruleset::Joint,
        verify::Ruleset::Variant2 => Ruleset::Variant2,
        verify::Ruleset::Variant3 => Ruleset::Variant3,
        verify::Ruleset::Variant4 => Ruleset::Variant4,
        verify::Ruleset::Extinction => Ruleset::Extinction,
    }
}

fn color_from_verifier(color: verify::Color) -> Color {
    match color {
        verify::Color::White => Color::White,
        verify::Color::Black => Color::Black,
    }
}

pub(crate) fn position_from_verifier(position: &verify::Position) -> Position {
    let mut builder = PositionBuilder::new(color_from_verifier(position.side_to_move()));
    for (square, color, kind) in position.pieces() {
        let role = match kind {
            verify::Kind::Pawn => Role::Pawn,
            verify::Kind::Knight => Role::Knight,
            verify::Kind::Bishop => Role::Bishop,
            verify::Kind::Rook => Role::Rook,
            verify::Kind::Queen => Role::Queen,
            verify::Kind::King => Role::King,
        };
        builder.put(Square::new(square), color_from_verifier(color), role);
    }
    builder.castling(position.castling_rights());
    // Both sides keep the square only while a capture on it is legal.
    builder.en_passant_that_counts(position.en_passant().map(Square::new));
    builder.build()
}

pub(crate) fn move_to_verifier(mv: Move) -> verify::Move {
    let promotion = mv.promotion().map(|role| match role {
        Role::Pawn => verify::Kind::Pawn,
        Role::Knight => verify::Kind::Knight,
        Role::Bishop => verify::Kind::Bishop,
        Role::Rook => verify::Kind::Rook,
        Role::Queen => verify::Kind::Queen,
        Role::King => verify::Kind::King,
    });
    #[expect(clippy::cast_possible_truncation, reason = "below 64")]
    verify::Move {
        origin: mv.from().index() as u8,
        destination: mv.to().index() as u8,
        promotion,
    }
}

#[cfg(test)]
mod tests {
    use rules::{Game, line};

    use super::*;

    #[test]
    fn positions_and_moves_cross_unchanged() {
        let lines = ["", "e3 d5", "a4 b5 axb5 a5", "e4 b5 Bxb5 e6 Bxd7 Bxd7"];
        for text in lines {
            let (game, _) = line::play(Game::initial(Ruleset::Joint), text).expect("legal");
            let claim = Claim {
                ruleset: Ruleset::Joint,
                root: *game.position(),
                winner: Color::White,
            };
            let theirs = claim_to_verifier(&claim).expect("a position");
            assert_eq!(position_from_verifier(&theirs.root), *game.position());
            let moves: Vec<verify::Move> = game
                .legal_moves()
                .into_iter()
                .map(move_to_verifier)
                .collect();
            assert_eq!(moves, verify::legal_moves(&theirs.root));
        }
        let promotion = Move::parse_uci("a7a8k").expect("UCI");
        assert_eq!(move_to_verifier(promotion).to_uci(), "a7a8k");
    }
}
