//! Rows of text under each other.

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// The rows as lines of text, each column as wide as its widest cell. Nothing stands behind the last letter of a line.
pub(crate) fn align<const N: usize>(sides: [Side; N], rows: &[[String; N]]) -> Vec<String> {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &[String; N]| {
        let mut text = String::new();
        for ((cell, side), width) in row.iter().zip(sides).zip(widths) {
            let gap = " ".repeat(width - cell.chars().count());
            let (before, behind) = match side {
                Side::Left => ("", gap.as_str()),
                Side::Right => (gap.as_str(), ""),
            };
            for part in [before, cell, behind, "  "] {
                text.push_str(part);
            }
        }
        text.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned);
        let rows = [row(["line", "nodes", "?"]), row(["1. e3 d5", "7", ""])];
        let lines = align([Side::Left, Side::Right, Side::Left], &rows);
        assert_eq!(lines, ["line      nodes  ?", "1. e3 d5      7"]);
    }
}
