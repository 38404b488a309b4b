//! A tree taken apart, to be put together otherwise.

use std::collections::HashMap;

const INDEX: u32 = 0x3fff_ffff;

/// What is below a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Below {
    /// Children, perhaps none.
    Children(Vec<Node>),
    /// What is below the node of this name.
    SameAs(u32),
}

/// A record, named by its number in the file that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) name: u32,
    pub(crate) mv: u16,
    pub(crate) below: Below,
}

/// A file: opening moves and the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) opening: Vec<u16>,
    pub(crate) root: Node,
}

pub(crate) fn word16(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(crate) fn word32(bytes: &[u8], at: usize) -> u32 {
    u32::from(word16(bytes, at)) | u32::from(word16(bytes, at + 2)) << 16
}

/// Where the words of a record are.
pub(crate) fn place(bytes: &[u8], record: u32) -> usize {
    6 + 2 * usize::from(word16(bytes, 4)) + 6 * (record as usize - 1)
}

pub(crate) fn put32(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

pub(crate) fn put16(bytes: &mut [u8], at: usize, word: u16) {
    bytes[at..at + 2].copy_from_slice(&word.to_le_bytes());
}

/// The number of records.
pub(crate) fn records(bytes: &[u8]) -> u32 {
    word32(bytes, 0) & INDEX
}

impl Tree {
    /// Takes a sound file apart.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let moves = usize::from(word16(bytes, 4));
        Self {
            opening: (0..moves).map(|i| word16(bytes, 6 + 2 * i)).collect(),
            root: Node {
                name: 0,
                mv: 0,
                below: Below::Children(children(bytes, 1)),
            },
        }
    }

    /// Puts it together.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut numbers = HashMap::new();
        let mut records = 0;
        self.root.number(&mut numbers, &mut records);
        let mut bytes = (1 << 30 | records).to_le_bytes().to_vec();
        bytes.extend(
            u16::try_from(self.opening.len())
                .expect("few")
                .to_le_bytes(),
        );
        for word in &self.opening {
            bytes.extend(word.to_le_bytes());
        }
        let mut next = 1;
        self.root.write(&numbers, &mut next, &mut bytes);
        bytes
    }
}

fn children(bytes: &[u8], first: u32) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut next = Some(first);
    while let Some(name) = next {
        let at = place(bytes, name);
        let data = word32(bytes, at);
        let (is_pointer, more, link) = (data >> 31 == 1, data >> 30 & 1 == 1, data & INDEX);
        let below = if is_pointer {
            Below::SameAs(link)
        } else if more {
            Below::Children(children(bytes, name + 1))
        } else {
            Below::Children(Vec::new())
        };
        next = if is_pointer {
            more.then_some(name + 1)
        } else {
            (link != 0).then_some(link)
        };
        nodes.push(Node {
            name,
            mv: word16(bytes, at + 4),
            below,
        });
    }
    nodes
}

impl Node {
    pub(crate) fn children(&self) -> &[Node] {
        match &self.below {
            Below::Children(children) => children,
            Below::SameAs(_) => &[],
        }
    }

    pub(crate) fn children_mut(&mut self) -> &mut Vec<Node> {
        match &mut self.below {
            Below::Children(children) => children,
            Below::SameAs(_) => panic!("a pointer has no children"),
        }
    }

    /// Calls `f` with each node below, and the names on the way to it.
    pub(crate) fn each<'a>(&'a self, way: &mut Vec<u32>, f: &mut dyn FnMut(&'a Node, &[u32])) {
        way.push(self.name);
        for child in self.children() {
            f(child, way);
            child.each(way, f);
        }
        way.pop();
    }

    /// The node of this name.
    pub(crate) fn find(&mut self, name: u32) -> Option<&mut Node> {
        if self.name == name {
            return Some(self);
        }
        match &mut self.below {
            Below::Children(children) => children.iter_mut().find_map(|child| child.find(name)),
            Below::SameAs(_) => None,
        }
    }

    fn number(&self, numbers: &mut HashMap<u32, u32>, next: &mut u32) {
        numbers.insert(self.name, *next);
        *next += 1;
        for child in self.children() {
            child.number(numbers, next);
        }
    }

    fn size(&self) -> u32 {
        1 + self.children().iter().map(Node::size).sum::<u32>()
    }

    fn write(&self, numbers: &HashMap<u32, u32>, next: &mut u32, bytes: &mut Vec<u8>) {
        let children = self.children();
        for (i, child) in children.iter().enumerate() {
            let is_last = i + 1 == children.len();
            let sibling = if is_last { 0 } else { *next + child.size() };
            let data = match &child.below {
                // A name that is not there leads where its number leads.
                Below::SameAs(name) => {
                    let target = numbers.get(name).unwrap_or(name);
                    2 << 30 | u32::from(!is_last) << 30 | target
                }
                Below::Children(below) => u32::from(!below.is_empty()) << 30 | sibling,
            };
            *next += 1;
            bytes.extend(data.to_le_bytes());
            bytes.extend(child.mv.to_le_bytes());
            child.write(numbers, next, bytes);
        }
    }
}
