//! Places with endgame tables, and tables that are damaged or forged.

use std::{fmt::Write, fs, path::PathBuf, sync::OnceLock};

use sha2::{Digest, Sha256};

use crate::support::Place;

/// A place with all tables of two men under `joint`, verified.
pub(crate) fn two_men() -> Place {
    let place = Place::new();
    place.ok(&["tables", "generate", "--men", "2"]);
    place
}

/// A place with all tables of up to three men under `joint`, made once.
pub(crate) fn three_men() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| {
        let place = Place::new();
        let said = place.ok(&["tables", "generate", "--men", "3", "--threads", "2"]);
        let lines: Vec<&str> = said.lines().collect();
        assert!(
            lines[0].starts_with("tables/joint: 147 tables, 147 made now (joint, "),
            "{said}"
        );
        assert!(
            lines[1].starts_with("tables/joint: 147 tables verified, 0 not (joint, "),
            "{said}"
        );
        place
    })
}

/// The run must end so, with a message that says all of `told` and nothing on standard output.
pub(crate) fn refused(place: &Place, args: &[&str], code: i32, told: &[&str]) {
    let ran = place.run(args);
    assert_eq!(ran.code, code, "{args:?}: {}{}", ran.stdout, ran.stderr);
    for text in told {
        assert!(
            ran.stderr.contains(text),
            "{args:?}: {text} is missing in {}",
            ran.stderr
        );
    }
    assert_eq!(ran.stdout, "", "{args:?}");
}

/// The file of a table.
pub(crate) fn table(place: &Place, name: &str) -> PathBuf {
    place.path("tables/joint").join(format!("{name}.tkt"))
}

/// Changes the bytes of a table's file.
pub(crate) fn damage(place: &Place, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let path = table(place, name);
    let mut bytes = fs::read(&path).expect("a table");
    change(&mut bytes);
    fs::write(path, bytes).expect("room on the disk");
}

/// Changes the line of a table in a list.
pub(crate) fn relist(place: &Place, name: &str, list: &str, change: impl Fn(&str) -> String) {
    let path = place.path("tables/joint").join(list);
    let text = fs::read_to_string(&path).expect("a list");
    let file = format!("{name}.tkt");
    let mut changed = String::new();
    for line in text.lines() {
        if line.ends_with(&file) {
            changed.push_str(&change(&file));
        } else {
            changed.push_str(line);
            changed.push('\n');
        }
    }
    fs::write(path, changed).expect("room on the disk");
}

/// Puts the hash of a table's file as it is into a list.
pub(crate) fn list_as_it_is(place: &Place, name: &str, list: &str) {
    let bytes = fs::read(table(place, name)).expect("a table");
    let mut digits = String::new();
    for byte in Sha256::digest(bytes) {
        write!(digits, "{byte:02x}").expect("memory");
    }
    relist(place, name, list, |file| format!("{digits}  {file}\n"));
}

/// A forged table of two men with sound checksums: two values are exchanged. Listed, and not verified.
pub(crate) fn forge(place: &Place, name: &str) {
    change_dictionary(place, name, |entries| {
        for byte in 0..3 {
            entries.swap(byte, byte + 3);
        }
    });
}

/// A table of two men with another dictionary and sound checksums. Listed, and not verified.
pub(crate) fn change_dictionary(place: &Place, name: &str, change: impl FnOnce(&mut [u8])) {
    damage(place, name, |bytes| {
        let sides = usize::from(bytes[20]);
        let first = 36 + sides * 28;
        let symbols = usize::from(bytes[22]);
        change(&mut bytes[first..first + 3 * symbols]);
        let header = first + 3 * symbols + sides * 12;
        let sum = crc::Crc::<u64>::new(&crc::CRC_64_XZ).checksum(&bytes[..header]);
        bytes[header..header + 8].copy_from_slice(&sum.to_le_bytes());
    });
    list_as_it_is(place, name, "MANIFEST");
}
