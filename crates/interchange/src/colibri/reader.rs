//! Reading a book, a node at a time.

use std::{io::BufRead, mem};

use rules::{Move, MoveList, Position, Role, Ruleset, Square, canonical_moves};

use super::{
    error::{ColibriError, Problem},
    header::{self, HEADER_BYTES, MEN},
    input::Input,
    number::Number,
};

/// The depth of a position that repeats one before it.
const REPETITION: u64 = 1_000_000_000;
/// Plies from the root at most.
const MAX_PLIES: usize = 10_000;

/// What a whole book adds up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Book {
    /// The position that it begins with.
    pub root: Position,
    /// Its nodes, those that repeat others counted.
    pub nodes: u64,
    /// The moves between them.
    pub edges: u64,
    /// The root's proof number, from the view of the side to move.
    pub pn: Number,
    /// The root's disproof number.
    pub dn: Number,
    /// Nodes that repeat a position before them.
    pub repetitions: u64,
    /// Positions that the book calls lost and in which it lacks replies.
    pub incomplete: u64,
}

/// A node of which everything is known.
#[derive(Debug)]
pub struct Node<'a> {
    /// Its position.
    pub position: &'a Position,
    /// The moves from the root by which it was reached first.
    pub line: &'a [Move],
    /// Its proof number, from the view of the side to move: 0 is a win.
    pub pn: Number,
    /// Its disproof number: 0 says that the side to move does not win.
    pub dn: Number,
    /// Of an inner node that the side to move wins: the move.
    pub winning: Option<Move>,
    /// Of an inner node: how many moves it has.
    pub moves: usize,
}

/// Reads a book to its end, and tells of each node when all below it are known. Nothing is kept but numbers: at most 32 bytes for
/// each of the file's nodes, which take 4 bytes each at least, and the line that is being read.
///
/// # Errors
///
/// The bytes are no book: what is wrong first.
pub fn read(
    bytes: impl BufRead,
    ruleset: Ruleset,
    on_node: impl FnMut(&Node<'_>),
) -> Result<Book, ColibriError> {
    let mut reader = Reader {
        input: Input::new(bytes),
        ruleset,
        on_node,
        known: Vec::new(),
        stack: Vec::new(),
        line: Vec::new(),
        field: 0,
        edges: 0,
        repetitions: 0,
        incomplete: 0,
    };
    reader.run().map_err(|problem| ColibriError {
        offset: match problem {
            Problem::Truncated(_) | Problem::Read(_) => reader.input.offset(),
            _ => reader.field,
        },
        line: mem::take(&mut reader.line),
        problem,
    })
}

/// A node that was met.
#[derive(Clone, Copy)]
struct Known {
    /// Tells its position from others.
    key: u64,
    /// None while its children are being read.
    numbers: Option<(Number, Number)>,
}

/// An inner node whose children are being read.
struct Open {
    node: usize,
    position: Position,
    legal: MoveList,
    /// The moves that were read.
    seen: MoveList,
    children: u8,
    pn: Number,
    dn: Number,
    winning: Option<Move>,
}

struct Reader<R, F> {
    input: Input<R>,
    ruleset: Ruleset,
    on_node: F,
    known: Vec<Known>,
    stack: Vec<Open>,
    /// The moves to the node that is being read.
    line: Vec<Move>,
    /// Where the field begins that is being read.
    field: u64,
    edges: u64,
    repetitions: u64,
    incomplete: u64,
}

impl<R: BufRead, F: FnMut(&Node<'_>)> Reader<R, F> {
    fn run(&mut self) -> Result<Book, Problem> {
        let header = self.input.take::<HEADER_BYTES>("the header")?;
        let root = *header::root(&header, self.ruleset)?.position();
        self.node(root)?;
        while let Some(open) = self.stack.last() {
            if open.seen.len() < usize::from(open.children) {
                self.child()?;
            } else {
                self.close();
            }
        }
        self.field = self.input.offset();
        self.input.end()?;
        let (pn, dn) = self.known[0].numbers.expect("everything is closed");
        Ok(Book {
            root,
            nodes: self.known.len() as u64,
            edges: self.edges,
            pn,
            dn,
            repetitions: self.repetitions,
            incomplete: self.incomplete,
        })
    }

    /// Reads what stands before a node's children.
    fn node(&mut self, position: Position) -> Result<(), Problem> {
        self.field = self.input.offset();
        let [children] = self.input.take("a node")?;
        let depth = self.number("a depth")?;
        let is_repetition = depth == REPETITION;
        self.repetitions += u64::from(is_repetition);
        let key = position.key();
        if children == 0 {
            let numbers = self.numbers_of_leaf()?;
            self.known.push(Known {
                key,
                numbers: Some(numbers),
            });
            self.tell(&position, numbers, None, 0);
            self.arrived(numbers);
            return Ok(());
        }
        if is_repetition {
            return Err(Problem::RepetitionWithChildren(children));
        }
        if self.stack.len() >= MAX_PLIES {
            return Err(Problem::TooDeep(MAX_PLIES));
        }
        let node = self.known.len();
        self.known.push(Known { key, numbers: None });
        self.stack.push(Open {
            node,
            position,
            legal: canonical_moves(&position, self.ruleset),
            seen: MoveList::new(),
            children,
            pn: Number::INFINITY,
            dn: Number::ZERO,
            winning: None,
        });
        Ok(())
    }

    fn numbers_of_leaf(&mut self) -> Result<(Number, Number), Problem> {
        let pn = Number::from_stored(self.number("a proof number")?);
        let start = self.field;
        let dn = Number::from_stored(self.number("a disproof number")?);
        let is_won = pn == Number::ZERO && dn != Number::INFINITY;
        let is_lost = dn == Number::ZERO && pn != Number::INFINITY;
        if is_won || is_lost {
            self.field = start;
            return Err(Problem::Numbers { pn, dn });
        }
        Ok((pn, dn))
    }

    fn number(&mut self, what: &'static str) -> Result<u64, Problem> {
        self.field = self.input.offset();
        self.input.number(what)
    }

    /// Reads the next move of the innermost open node, and the child's node if it follows.
    fn child(&mut self) -> Result<(), Problem> {
        self.field = self.input.offset();
        let code = u16::from_le_bytes(self.input.take("a move")?);
        let open = self.stack.last_mut().expect("a node is open");
        let mv = decode(code, &open.position)?;
        if !open.legal.contains(&mv) {
            return Err(Problem::Illegal { mv });
        }
        if open.seen.contains(&mv) {
            return Err(Problem::Twice { mv });
        }
        open.seen.push(mv);
        self.edges += 1;
        let position = open.position.after(mv, self.ruleset);
        let id = self.number("a child")?;
        let next = self.known.len() as u64;
        self.line.push(mv);
        if id == next {
            return self.node(position);
        }
        self.line.pop();
        let known = usize::try_from(id).ok().and_then(|id| self.known.get(id));
        let Some(&Known { key, numbers }) = known else {
            return Err(Problem::UnknownNode {
                mv,
                found: id,
                next,
            });
        };
        if key != position.key() {
            return Err(Problem::Elsewhere { mv, node: id });
        }
        let numbers = numbers.ok_or(Problem::Cycle { mv, node: id })?;
        self.line.push(mv);
        self.arrived(numbers);
        Ok(())
    }

    /// Takes note of a child's numbers in its parent, and goes back there.
    fn arrived(&mut self, (pn, dn): (Number, Number)) {
        if let Some(open) = self.stack.last_mut() {
            let mv = self.line.pop();
            open.pn = open.pn.min(dn);
            open.dn = open.dn.plus(pn);
            if dn == Number::ZERO && open.winning.is_none() {
                open.winning = mv;
            }
        }
    }

    /// All children of the innermost open node are known.
    fn close(&mut self) {
        let open = self.stack.pop().expect("a node is open");
        let numbers = (open.pn, open.dn);
        self.known[open.node].numbers = Some(numbers);
        if open.dn == Number::ZERO && open.seen.len() < open.legal.len() {
            self.incomplete += 1;
        }
        self.tell(&open.position, numbers, open.winning, open.seen.len());
        self.arrived(numbers);
    }

    fn tell(
        &mut self,
        position: &Position,
        (pn, dn): (Number, Number),
        winning: Option<Move>,
        moves: usize,
    ) {
        (self.on_node)(&Node {
            position,
            line: &self.line,
            pn,
            dn,
            winning,
            moves,
        });
    }
}

/// The move with this code in a position.
fn decode(code: u16, position: &Position) -> Result<Move, Problem> {
    let from = Square::from_low_bits(u32::from(code >> 10));
    let to = Square::from_low_bits(u32::from(code >> 4 & 63));
    let man = code >> 1 & 7;
    let role = usize::from(man).checked_sub(1).and_then(|at| MEN.get(at));
    let Some(&role) = role else {
        return Err(Problem::Man { code, man });
    };
    if code & 1 == 1 {
        return match role {
            Role::Pawn => Err(Problem::Man { code, man }),
            _ => Ok(Move::promotion_to(from, to, role)),
        };
    }
    let mv = Move::new(from, to);
    if position.role_at(from) != Some(role) {
        return Err(Problem::WrongMan { mv });
    }
    Ok(mv)
}
