//! All materials of a ruleset, and which leads to which.

use std::{
    collections::HashMap,
    fmt,
    hash::{BuildHasherDefault, Hasher},
};

use arrayvec::ArrayVec;
use rules::{Class, Color, Position, Role, Ruleset};

use crate::{
    layout::{Layout, MIRROR, Squares},
    material::{MAX_MEN, Material},
};

/// A material by its number in the catalog: those of fewer men first, then those of fewer pawns, so that each material leads only to
/// itself and to smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MaterialId(u16);

impl MaterialId {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Where a capture or promotion leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Link {
    /// One side has no man left.
    End,
    /// To another material.
    To(Way),
}

/// How a placement of one material becomes one of another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) to: MaterialId,
    /// For each man there, which man it was here.
    order: [u8; MAX_MEN],
    /// Whether the sides change their colours.
    exchanged: bool,
}

impl Way {
    /// The placement and the side to move there, from those here.
    #[inline]
    pub(crate) fn follow(self, squares: Squares, side: Color) -> (Squares, Color) {
        let mirror = if self.exchanged { MIRROR } else { 0 };
        let squares = self.order.map(|man| squares[usize::from(man)] ^ mirror);
        (squares, if self.exchanged { !side } else { side })
    }
}

/// What the catalog knows of a material.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) material: Material,
    /// Whether both sides have the same men.
    pub(crate) is_symmetric: bool,
    pub(crate) layout: Layout,
    /// By the captured man, and by what the capturing man becomes: nothing new, or by role.
    captures: [[Link; 6]; MAX_MEN],
    /// By the capturing man, the captured man, and what the first becomes.
    promoting_captures: [[[Link; 6]; MAX_MEN]; MAX_MEN],
    /// By the man, and by what it becomes.
    promotions: [[Link; 6]; MAX_MEN],
}

impl Shape {
    /// Where a capture of `captured` by `man`, which becomes `promotion`, leads.
    #[inline]
    pub(crate) fn capture(&self, man: usize, captured: usize, promotion: Option<Role>) -> Link {
        match promotion {
            None => self.captures[captured][0],
            Some(role) => self.promoting_captures[man][captured][role.index()],
        }
    }

    /// Where the promotion of `man` leads.
    #[inline]
    pub(crate) fn promotion(&self, man: usize, role: Role) -> Link {
        self.promotions[man][role.index()]
    }

    /// The same placement with the colours exchanged, if both sides have the same men.
    pub(crate) fn exchange(&self, squares: Squares) -> Squares {
        let men = self.layout.men.len();
        let mut other = Squares::default();
        for man in 0..men {
            other[(man + men / 2) % men] = squares[man] ^ MIRROR;
        }
        other
    }

    /// The materials that captures and promotions lead to at once.
    pub(crate) fn prerequisites(&self) -> Vec<MaterialId> {
        let links = self.captures.iter().map(|links| &links[0]);
        let promoting = self.promoting_captures.iter().flatten().flatten();
        let links = links
            .chain(promoting)
            .chain(self.promotions.iter().flatten());
        let mut all: Vec<MaterialId> = links
            .filter_map(|link| match link {
                Link::To(way) => Some(way.to),
                Link::End => None,
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// All materials of up to four men under the rules of one ruleset.
pub(crate) struct Catalog {
    pub(crate) ruleset: Ruleset,
    /// What a pawn may become.
    pub(crate) promotions: &'static [Role],
    shapes: Vec<Shape>,
    ids: HashMap<Material, MaterialId>,
    /// By the codes of White's and of Black's men: the material, and whether White has the second side's. A probe looks here.
    by_sides: HashMap<u32, (MaterialId, bool), BuildHasherDefault<CodeHasher>>,
}

/// The numbers of men of each side and kind in two bits each, White's above Black's.
#[inline]
fn code(position: &Position) -> u32 {
    let mut code = 0;
    for color in Color::ALL {
        for role in Role::ALL {
            code = code << 2 | position.men_of(color, role).count() & 3;
        }
    }
    code
}

/// Spreads codes, which are few, with one multiplication.
#[derive(Clone, Copy, Debug, Default)]
struct CodeHasher(u64);

impl Hasher for CodeHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(byte.into());
        }
    }

    fn write_u32(&mut self, code: u32) {
        // Fibonacci hashing (Knuth, volume 3, section 6.4); the map looks at both ends of the word.
        self.0 = (self.0 ^ u64::from(code))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(20);
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalog")
            .field("ruleset", &self.ruleset)
            .finish_non_exhaustive()
    }
}

/// Whether there are tables for the ruleset: those in which captures are compulsory and kings are ordinary men.
#[must_use]
pub fn has_tables(ruleset: Ruleset) -> bool {
    promotions(ruleset).is_some()
}

fn promotions(ruleset: Ruleset) -> Option<&'static [Role]> {
    match ruleset.class() {
        Class::Antichess => Some(&Role::ALL[1..]),
        Class::Variant2 => Some(&[Role::Queen]),
        Class::Variant34 | Class::Extinction => None,
    }
}

impl Catalog {
    /// The catalog of a ruleset, `None` if there are no tables for it.
    pub(crate) fn new(ruleset: Ruleset) -> Option<Self> {
        let promotions = promotions(ruleset)?;
        let mut materials: Vec<Material> = (2..=MAX_MEN).flat_map(Material::all).collect();
        materials.sort_by_key(|material| (material.men(), material.pawns()));
        let ids: HashMap<_, _> = materials
            .iter()
            .copied()
            .zip((0..).map(MaterialId))
            .collect();
        let shapes = materials
            .iter()
            .map(|material| shape(material, promotions, &ids))
            .collect();
        let mut by_sides = HashMap::default();
        for (material, &id) in &ids {
            for exchanged in [true, false] {
                by_sides.insert(material.code(exchanged), (id, exchanged));
            }
        }
        Some(Self {
            ruleset,
            promotions,
            shapes,
            ids,
            by_sides,
        })
    }

    pub(crate) fn id(&self, material: &Material) -> MaterialId {
        self.ids[material]
    }

    /// The material of a position of at most four men, and whether White has the second side's men. `None` if a side has no man.
    #[inline]
    pub(crate) fn of(&self, position: &Position) -> Option<(MaterialId, bool)> {
        if position.occupied().count() as usize > MAX_MEN {
            return None;
        }
        self.by_sides.get(&code(position)).copied()
    }

    #[inline]
    pub(crate) fn shape(&self, id: MaterialId) -> &Shape {
        &self.shapes[id.index()]
    }

    /// The materials that captures lead to at once.
    pub(crate) fn captures_of(&self, id: MaterialId) -> impl Iterator<Item = MaterialId> + use<'_> {
        let men = self.shape(id).material.men();
        let all = self.shape(id).prerequisites().into_iter();
        all.filter(move |&other| self.shape(other).material.men() < men)
    }

    /// All materials, smaller ones first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = MaterialId> + use<> {
        (0..).map(MaterialId).take(self.shapes.len())
    }

    pub(crate) fn len(&self) -> usize {
        self.shapes.len()
    }
}

/// The way from a list of men, each with its number in the material it comes from, to the material they are.
fn link(men: &[((Color, Role), u8)], ids: &HashMap<Material, MaterialId>) -> Link {
    let Some((material, exchanged)) = Material::of_men(men.iter().map(|&(man, _)| man)) else {
        return Link::End;
    };
    let mut left: ArrayVec<_, MAX_MEN> = men.iter().copied().collect();
    let mut order = [0; MAX_MEN];
    for (place, (color, role)) in order.iter_mut().zip(material.list()) {
        let color = if exchanged { !color } else { color };
        let at = left
            .iter()
            .position(|&(man, _)| man == (color, role))
            .expect("the material has the same men");
        *place = left.remove(at).1;
    }
    Link::To(Way {
        to: ids[&material],
        order,
        exchanged,
    })
}

fn shape(material: &Material, promotions: &[Role], ids: &HashMap<Material, MaterialId>) -> Shape {
    let layout = Layout::new(material);
    let men: ArrayVec<((Color, Role), u8), MAX_MEN> = layout.men.iter().copied().zip(0..).collect();
    let mut captures = [[Link::End; 6]; MAX_MEN];
    let mut promoting_captures = [[[Link::End; 6]; MAX_MEN]; MAX_MEN];
    let mut promoted = [[Link::End; 6]; MAX_MEN];
    let without = |men: &[((Color, Role), u8)], captured: usize| {
        let mut men: ArrayVec<_, MAX_MEN> = men.iter().copied().collect();
        men.remove(captured);
        link(&men, ids)
    };
    for (captured, links) in captures.iter_mut().enumerate().take(men.len()) {
        links[0] = without(&men, captured);
    }
    for (man, &((color, role), _)) in men.iter().enumerate() {
        for &becomes in promotions.iter().filter(|_| role == Role::Pawn) {
            let mut after = men.clone();
            after[man].0.1 = becomes;
            promoted[man][becomes.index()] = link(&after, ids);
            // No pawn stands on a last rank, so none is captured there.
            let capturable = |&((other, role), _): &_| other != color && role != Role::Pawn;
            for captured in (0..men.len()).filter(|&other| capturable(&men[other])) {
                promoting_captures[man][captured][becomes.index()] = without(&after, captured);
            }
        }
    }
    Shape {
        material: *material,
        is_symmetric: material.is_symmetric(),
        layout,
        captures,
        promoting_captures,
        promotions: promoted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prerequisites(ruleset: Ruleset, name: &str) -> String {
        let catalog = Catalog::new(ruleset).expect("it has tables");
        let id = catalog.id(&name.parse().expect("a material"));
        let names = catalog.shape(id).prerequisites().into_iter();
        let names: Vec<String> = names
            .map(|id| catalog.shape(id).material.to_string())
            .collect();
        names.join(" ")
    }

    #[test]
    fn captures_and_promotions_lead_to_smaller_numbers() {
        for ruleset in [Ruleset::Joint, Ruleset::Variant2] {
            let catalog = Catalog::new(ruleset).expect("it has tables");
            assert_eq!(catalog.len(), 714);
            for id in catalog.ids() {
                assert!(
                    catalog
                        .shape(id)
                        .prerequisites()
                        .iter()
                        .all(|&other| other < id)
                );
            }
        }
        assert!(Catalog::new(Ruleset::Extinction).is_none());
    }

    #[test]
    fn prerequisites_are_those_of_the_rules() {
        assert_eq!(prerequisites(Ruleset::Joint, "KvK"), "");
        assert_eq!(prerequisites(Ruleset::Joint, "KRvN"), "KvN RvN");
        assert_eq!(prerequisites(Ruleset::Joint, "KvP"), "KvB KvK KvN KvQ KvR");
        assert_eq!(prerequisites(Ruleset::Variant2, "KvP"), "KvQ");
        assert_eq!(prerequisites(Ruleset::Variant2, "PvP"), "QvP");
        assert_eq!(
            prerequisites(Ruleset::Variant2, "RPvP"),
            "QvP RvP PvP QRvP RPvQ"
        );
    }
}
