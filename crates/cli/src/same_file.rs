//! Whether two paths name one file.

use std::path::Path;

/// Whether both are there and are one file, by links or by another way to write the path.
#[cfg(unix)]
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (one, other) = (one.metadata(), other.metadata());
    matches!((one, other), (Ok(one), Ok(other)) if (one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Whether both are there and are one file, by links or by another way to write the path.
#[cfg(not(unix))]
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let (one, other) = (one.canonicalize(), other.canonicalize());
    matches!((one, other), (Ok(one), Ok(other)) if one == other)
}
