//! The program from outside: what it prints, how it ends, what it leaves behind.

mod batch;
mod books;
mod database;
mod fifty;
mod files;
mod hints;
mod interrupt;
mod leaning;
mod memory;
mod merge;
mod pgn;
mod positions;
mod prove;
mod query;
mod relatives;
mod searches;
mod shrink;
mod streams;
mod support;
mod tabled;
mod tables;
mod truth;
mod usage;
mod verify;
mod watkins;
