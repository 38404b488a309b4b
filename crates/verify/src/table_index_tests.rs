#![expect(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;

use super::*;

fn index(name: &str) -> TableIndex {
    TableIndex::new(&Material::from_name(name).unwrap())
}

fn binomial(n: usize, k: usize) -> usize {
    (0..k).fold(1, |product, i| product * n.saturating_sub(i) / (i + 1))
}

/// The format's definition word for word: men as (slot's name, square), no tables.
fn by_definition(name: &str, squares: Squares) -> usize {
    let letters: Vec<(bool, char)> = {
        let (first, second) = name.split_once('v').unwrap();
        let side = |letters: &str, first| letters.chars().map(move |l| (first, l)).collect();
        let mut all: Vec<_> = side(first, true);
        all.extend::<Vec<_>>(side(second, false));
        all
    };
    let mut groups: Vec<((bool, char), Vec<usize>)> = Vec::new();
    for (slot, &letter) in letters.iter().enumerate() {
        match groups.last_mut() {
            Some((last, slots)) if *last == letter => slots.push(slot),
            _ => groups.push((letter, vec![slot])),
        }
    }
    let rank = |group: &((bool, char), Vec<usize>), at: &dyn Fn(usize) -> usize| {
        let is_pawn = group.0.1 == 'P';
        let mut places: Vec<usize> = group
            .1
            .iter()
            .map(|&slot| at(slot) - if is_pawn { 8 } else { 0 })
            .collect();
        places.sort_unstable();
        (1..)
            .zip(places)
            .map(|(k, p)| binomial(p, k))
            .sum::<usize>()
    };
    let size = |group: &((bool, char), Vec<usize>)| {
        binomial(if group.0.1 == 'P' { 48 } else { 64 }, group.1.len())
    };
    let has_pawn = letters.iter().any(|man| man.1 == 'P');
    let image = |symmetry: usize, square: usize| {
        let (mut file, mut row) = (square % 8, square / 8);
        if symmetry & 1 != 0 {
            file = 7 - file;
        }
        if symmetry & 2 != 0 {
            row = 7 - row;
        }
        if symmetry & 4 != 0 {
            (file, row) = (row, file);
        }
        row * 8 + file
    };
    let count = if has_pawn { 2 } else { 8 };
    let fewest = groups.iter().map(|group| group.1.len()).min().unwrap();
    let leads = groups
        .iter()
        .position(|group| group.1.len() == fewest)
        .unwrap();
    let leader = groups.remove(leads);
    // The ranks that no symmetry makes smaller.
    let slots = leader.1.len();
    let offset = if leader.0.1 == 'P' { 8 } else { 0 };
    let mut representatives = Vec::new();
    let all = size(&leader);
    let squares_of = |wanted: usize| -> Vec<usize> {
        let mut rest = wanted;
        let mut squares = Vec::new();
        for k in (1..=slots).rev() {
            let place = (0..64).rev().find(|&p| binomial(p, k) <= rest).unwrap();
            rest -= binomial(place, k);
            squares.push(place + offset);
        }
        squares
    };
    for wanted in 0..all {
        let at = squares_of(wanted);
        let least = (0..count)
            .map(|symmetry| rank(&leader, &|slot| image(symmetry, at[slot - leader.1[0]])))
            .min();
        if least == Some(wanted) {
            representatives.push(wanted);
        }
    }
    let of_image = |symmetry: usize| {
        let at = |slot: usize| image(symmetry, usize::from(squares[slot]));
        let leads = rank(&leader, &at);
        let mut index = representatives.iter().position(|&r| r == leads)?;
        for group in &groups {
            index = index * size(group) + rank(group, &at);
        }
        Some(index)
    };
    (0..count).filter_map(of_image).min().unwrap()
}

#[test]
fn the_number_of_cells_is_that_of_the_format() {
    for (name, cells) in [
        ("KvK", 10 * 64),
        ("QvP", 32 * 48),
        ("PvP", 24 * 48),
        ("KRvN", 10 * 64 * 64),
        ("PPvP", 24 * 48 * 47 / 2),
        ("KKvP", 24 * 64 * 63 / 2),
        ("KQvPP", 32 * 64 * 48 * 47 / 2),
        ("KQvRP", 32 * 64 * 64 * 48),
        ("QQQvK", 10 * 64 * 63 * 62 / 6),
        ("PPPvP", 24 * 48 * 47 * 46 / 6),
        // Of the 2016 pairs of squares some are left as they are by a symmetry, so there are more orbits than an eighth.
        ("KKvQQ", 278 * 64 * 63 / 2),
    ] {
        assert_eq!(index(name).cells(), cells, "{name}");
    }
}

#[test]
fn the_index_is_that_of_the_format_and_orbits_fill_the_board() {
    for name in [
        "KvK", "QvP", "PvP", "KKvP", "KRvN", "PPvP", "KKKvP", "KKvQQ", "PPvPP", "QPPvK",
    ] {
        let index = index(name);
        let step = (index.cells() / 500).max(1);
        for number in (0..index.cells()).step_by(step) {
            if let Some((squares, canonical)) = index.placement(number) {
                assert_eq!(canonical.index, number);
                assert_eq!(by_definition(name, squares), number, "{name} {squares:?}");
            }
        }
    }
}

#[test]
fn every_placement_has_the_index_of_its_orbit() {
    for (name, placements) in [("KvK", 64 * 63), ("KvP", 48 * 63), ("PvP", 48 * 47)] {
        let index = index(name);
        let mut orbits: BTreeMap<usize, u64> = BTreeMap::new();
        let mut count = 0;
        for a in 0..64_u8 {
            for b in 0..64_u8 {
                let pawn = |square: u8| (8..56).contains(&square);
                let on_board = match name {
                    "KvK" => true,
                    "KvP" => pawn(b),
                    _ => pawn(a) && pawn(b),
                };
                if a == b || !on_board {
                    continue;
                }
                count += 1;
                let found = index.canonical([a, b, 0, 0]);
                assert_eq!(found.index, by_definition(name, [a, b, 0, 0]));
                *orbits.entry(found.index).or_default() += 1;
            }
        }
        assert_eq!(count, placements);
        for number in 0..index.cells() {
            let weight = index
                .placement(number)
                .map(|(_, canonical)| index.symmetries() / canonical.symmetries);
            assert_eq!(weight, orbits.get(&number).copied(), "{name} {number}");
        }
    }
}

#[test]
fn orbits_of_three_and_four_men_add_up_to_all_placements() {
    for (name, placements) in [
        ("KKvP", 48 * 63 * 62 / 2),
        ("PPvP", 48 * 47 * 46 / 2),
        ("KRvN", 64 * 63 * 62),
        ("PPvPP", 48 * 47 * 46 * 45 / 4),
        ("KKvQQ", 64 * 63 * 62 * 61 / 4),
    ] {
        let index = index(name);
        let weights = (0..index.cells()).filter_map(|number| index.placement(number));
        let sum: u64 = weights
            .map(|(_, canonical)| index.symmetries() / canonical.symmetries)
            .sum();
        assert_eq!(sum, placements, "{name}");
    }
}

#[test]
fn the_order_of_like_men_makes_no_difference() {
    let index = index("KKKvP");
    let expected = index.canonical([3, 17, 60, 12]);
    for squares in [[17, 3, 60, 12], [60, 17, 3, 12], [60, 3, 17, 12]] {
        assert_eq!(index.canonical(squares), expected);
    }
}

#[test]
fn what_is_no_placement_has_no_cell() {
    let index = index("KKvP");
    for squares in [
        [3, 3, 12, 0],
        [3, 4, 7, 0],
        [3, 4, 56, 0],
        [64, 4, 12, 0],
        [3, 255, 12, 0],
    ] {
        assert!(
            index.canonical(squares).index >= index.cells(),
            "{squares:?}"
        );
    }
    assert_eq!(index.placement(index.cells()), None);
    assert_eq!(index.placement(usize::MAX), None);
}

#[test]
fn indices_around_a_placement_are_those_of_the_moved_men() {
    for name in [
        "KvK", "QvP", "KKvP", "KRvN", "PPvP", "KKKvP", "KKvQQ", "PPvPP", "QPPvK", "RRvN",
    ] {
        let index = index(name);
        let men = name.len() - 1;
        for number in (0..index.cells()).step_by((index.cells() / 50).max(1)) {
            let Some((squares, _)) = index.placement(number) else {
                continue;
            };
            for mover in 0..men {
                let mut around = index.around(squares, mover);
                for to in 0..64 {
                    let mut after = squares;
                    after[mover] = to;
                    let expected = index.canonical(after).index;
                    let found = around.index(to);
                    // Two men of one group on one square have no index.
                    assert_eq!(
                        found.min(index.cells()),
                        expected.min(index.cells()),
                        "{name}"
                    );
                }
            }
        }
    }
}
