//! Bytes of a book as they come, counted.

use std::io::{self, BufRead};

use super::error::Problem;

/// The bytes, and where we are.
#[derive(Debug)]
pub(super) struct Input<R> {
    bytes: R,
    offset: u64,
}

impl<R: BufRead> Input<R> {
    pub(super) fn new(bytes: R) -> Self {
        Self { bytes, offset: 0 }
    }

    /// The number of bytes read.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next bytes, of `what`.
    pub(super) fn take<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Problem> {
        let mut taken = [0; N];
        for byte in &mut taken {
            *byte = self.next()?.ok_or(Problem::Truncated(what))?;
        }
        Ok(taken)
    }

    /// The next number, which is `what`.
    pub(super) fn number(&mut self, what: &'static str) -> Result<u64, Problem> {
        let mut value = 0u64;
        loop {
            let [byte] = self.take(what)?;
            if value == 0 && byte == 0x80 {
                return Err(Problem::Overlong(what));
            }
            if value.leading_zeros() < 7 {
                return Err(Problem::TooLarge(what));
            }
            value = value << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
    }

    /// Nothing may follow.
    pub(super) fn end(&mut self) -> Result<(), Problem> {
        let offset = self.offset;
        let rest = self.next()?;
        self.offset = offset;
        rest.map_or(Ok(()), |_| Err(Problem::Trailing))
    }

    fn next(&mut self) -> Result<Option<u8>, Problem> {
        let next = loop {
            match self.bytes.fill_buf() {
                Ok(bytes) => break bytes.first().copied(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Problem::Read(error)),
            }
        };
        if next.is_some() {
            self.bytes.consume(1);
            self.offset += 1;
        }
        Ok(next)
    }
}
