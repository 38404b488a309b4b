//! Sizes and times as they are written on the command line, and numbers as they are shown.

use std::time::Duration;

/// The least that `--memory` accepts: the search's smallest tables, the database's caches and the program itself.
const LEAST_MEMORY: u64 = 64 << 20;

/// Reads a size such as `512M`; a plain number is bytes.
pub(crate) fn parse_memory(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is no size: write a number with K, M, G or T, such as 512M");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let bytes = number
        .checked_mul(1 << shift)
        .ok_or_else(|| format!("'{text}' is too large"))?;
    if bytes < LEAST_MEMORY {
        return Err(format!("'{text}' is too little: at least 64M are needed"));
    }
    Ok(bytes)
}

/// Reads a time such as `30s`, `10m` or `1h30m`; a plain number is seconds.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is no time: write it like 30s, 10m or 1h30m");
    if text.is_empty() {
        return Err(wrong());
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| wrong())?;
        let unit = rest[digits..]
            .find(|c: char| c.is_ascii_digit())
            .map_or(rest.len(), |end| digits + end);
        let factor = match &rest[digits..unit] {
            "ms" => 0.001,
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return Err(wrong()),
        };
        total = Duration::try_from_secs_f64(number * factor)
            .ok()
            .and_then(|part| total.checked_add(part))
            .ok_or_else(|| format!("'{text}' is too long"))?;
        rest = &rest[unit..];
    }
    Ok(total)
}

/// A number with commas between thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and its noun, which gets an `s` or `es` unless the number is 1.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = match number {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", thousands(number))
}

/// A number of plies, with the unit.
pub(crate) fn plies(number: u32) -> String {
    match number {
        1 => "1 ply".to_owned(),
        more => format!("{more} plies"),
    }
}

/// A number as a fingerprint, without commas, and its noun, which gets an `s` unless the number is 1.
pub(crate) fn plain_count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Seconds with one digit behind the point.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// A time of seconds to weeks, in its two largest units.
pub(crate) fn long_time(time: Duration) -> String {
    let (minutes, hours) = (time.as_secs() / 60, time.as_secs() / 3600);
    match hours {
        _ if minutes == 0 => seconds(time),
        0 => format!("{minutes} min {} s", time.as_secs() % 60),
        1..48 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} d {} h", hours / 24, hours % 24),
    }
}

/// So many a second; 0 if no time has passed.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "for display"
)]
pub(crate) fn per_second(number: u64, time: Duration) -> u64 {
    let seconds = time.as_secs_f64();
    if seconds > 0.0 {
        (number as f64 / seconds).round() as u64
    } else {
        0
    }
}

/// A size in the largest unit that leaves a number of at least 1.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(crate) fn bytes(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut size = bytes as f64;
    let mut name = "bytes";
    for unit in units {
        if size < 1024.0 {
            break;
        }
        size /= 1024.0;
        name = unit;
    }
    if name == "bytes" {
        format!("{bytes} bytes")
    } else {
        format!("{size:.1} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(parse_memory("512M"), Ok(512 << 20));
        assert_eq!(parse_memory("8g"), Ok(8 << 30));
        assert_eq!(parse_memory("1T"), Ok(1 << 40));
        assert_eq!(parse_memory("65536K"), Ok(64 << 20));
        assert_eq!(parse_memory("134217728"), Ok(128 << 20));
        for wrong in [
            "",
            "M",
            "1X",
            "-1G",
            "1.5G",
            "10M",
            "99999999999T",
            "18446744073709551615T",
        ] {
            assert!(parse_memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_read_with_their_units() {
        let seconds = |text| parse_time(text).map(|time| time.as_millis());
        assert_eq!(seconds("30s"), Ok(30_000));
        assert_eq!(seconds("1h30m"), Ok(5_400_000));
        assert_eq!(seconds("0.5s"), Ok(500));
        assert_eq!(seconds("250ms"), Ok(250));
        assert_eq!(seconds("7"), Ok(7_000));
        for wrong in ["", "s", "10q", "1h-3m", "m10", "1..5s"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_shown_as_people_read_them() {
        let shown = [0, 7, 1_000, 123_456, 1_234_567].map(thousands);
        assert_eq!(shown, ["0", "7", "1,000", "123,456", "1,234,567"]);
        assert_eq!(count(1, "claim"), "1 claim");
        assert_eq!(count(2_000, "claim"), "2,000 claims");
        assert_eq!(plain_count(1, "node"), "1 node");
        assert_eq!(plain_count(2_000, "node"), "2000 nodes");
        assert_eq!([0, 1, 2].map(plies), ["0 plies", "1 ply", "2 plies"]);
        assert_eq!(bytes(4096), "4.0 KiB");
        let times = [59, 61, 7_260, 200_000].map(|s| long_time(Duration::from_secs(s)));
        assert_eq!(times, ["59.0 s", "1 min 1 s", "2 h 1 min", "2 d 7 h"]);
    }
}
