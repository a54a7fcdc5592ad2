//! Text in columns, as Go's tabwriter aligns it.

/// Cells of a line are ended by tabs; what stands after the last tab belongs to no column. A column is as wide as the
/// widest of the cells that stand above each other without a gap.
#[derive(Debug)]
pub(crate) struct Tabs {
    least: usize,
    padding: usize,
    /// Whether columns never become narrower: so that what a watch prints later lines up.
    remembers: bool,
    widest: Vec<usize>,
}

/// A line is cut into at most this many cells.
const MOST_CELLS: usize = 64;

impl Tabs {
    /// As `get` prints tables.
    pub(crate) fn table() -> Self {
        Self { least: 6, padding: 3, remembers: true, widest: Vec::new() }
    }

    /// As `describe` prints.
    pub(crate) fn description() -> Self {
        Self { least: 0, padding: 2, remembers: false, widest: Vec::new() }
    }

    /// Aligns a text.
    pub(crate) fn align(&mut self, text: &str) -> String {
        let lines: Vec<Vec<&str>> = text.split('\n').map(|line| line.splitn(MOST_CELLS, '\t').collect()).collect();
        let mut out = String::with_capacity(text.len() * 2);
        let mut widths = Vec::new();
        self.format(&lines, 0, lines.len(), &mut widths, &mut out);
        // The text ends with a newline, which made one line too many.
        out.pop();
        out
    }

    fn format(&mut self, lines: &[Vec<&str>], from: usize, to: usize, widths: &mut Vec<usize>, out: &mut String) {
        let column = widths.len();
        let has_cell = |line: &Vec<&str>| column + 1 < line.len();
        let mut first = from;
        let mut at = from;
        while at < to {
            if !has_cell(&lines[at]) {
                at += 1;
                continue;
            }
            write(&lines[first..at], widths, out);
            first = at;
            let mut width = self.least;
            while at < to && has_cell(&lines[at]) {
                width = width.max(lines[at][column].chars().count() + self.padding);
                at += 1;
            }
            if self.remembers {
                match self.widest.get_mut(column) {
                    Some(widest) => {
                        width = width.max(*widest);
                        *widest = width;
                    }
                    None => self.widest.push(width),
                }
            }
            widths.push(width);
            self.format(lines, first, at, widths, out);
            widths.pop();
            first = at;
        }
        write(&lines[first..to], widths, out);
    }
}

fn write(lines: &[Vec<&str>], widths: &[usize], out: &mut String) {
    for line in lines {
        for (at, cell) in line.iter().enumerate() {
            out.push_str(cell);
            if let Some(width) = widths.get(at).filter(|_| at + 1 < line.len()) {
                out.extend(std::iter::repeat_n(' ', width.saturating_sub(cell.chars().count())));
            }
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let aligned = Tabs::table().align("NAME\tREADY\nweb\t1/1\nlong-name\t0/1\n");
        assert_eq!(aligned, "NAME        READY\nweb         1/1\nlong-name   0/1\n");
        let aligned = Tabs::description().align("Name:\ta\nLabels:\tx=y\n\tz=w\nPlain\nA:\tb\n");
        assert_eq!(aligned, "Name:    a\nLabels:  x=y\n         z=w\nPlain\nA:  b\n");
    }
}
