//! Heatmaps: numbers from −1 to 1 as cells, green above 0 and purple below. Cells fade into the paper at 0.

use super::measure::{SMALL, TEXT, fitted, width};
use super::svg::{Anchor, Svg};
use super::{NARROW, Picture, ROOMY};
use crate::shown::decimal;

/// The height of the title and the scale.
const TOP: f64 = 62.0;
/// The height of a row, and the width of the widest cell.
const ROW: f64 = 17.0;
const WIDEST: f64 = 88.0;
/// The space between two groups of rows side by side.
const GAP: f64 = 32.0;
/// The least width of a cell that holds its number.
const NUMBERED: f64 = 33.0;
/// The most columns with numbers in their cells, because more columns are a picture, not a table.
const MOST_NUMBERED: usize = 20;
/// The least number that has the full color, because noise must not be colored like a result.
const FAINTEST: f64 = 0.05;

/// A row of cells, or a heading if the row has no cells.
pub struct GridRow {
    pub name: String,
    /// The number of the name's color.
    pub color: usize,
    pub values: Vec<f64>,
}

/// The width of the longest name of a row, in pixels.
fn longest_name(available: f64) -> f64 {
    if available < NARROW { 0.34 * available } else { 170.0 }
}

/// The share of the full color from which on numbers are white on light paper and black on dark paper.
const DARK: f64 = 0.75;

pub struct Grid {
    pub description: String,
    /// The title above the columns.
    pub title: String,
    /// The meaning of the colors.
    pub scale_label: String,
    pub rows: Vec<GridRow>,
    /// The names of the columns, and the number of the names' color, if they have one.
    pub columns: Vec<String>,
    pub column_color: Option<usize>,
    /// Whether the names of columns are turned, because they are long.
    pub turned: bool,
    /// Whether columns are components, which a page highlights together.
    pub is_linked: bool,
}

/// The widths of the names and cells, and the height of the heads.
struct Layout {
    names: f64,
    heads: f64,
    cell: f64,
}

impl Grid {
    /// The number of columns that have room at this width, if their names are turned.
    pub fn room(width: f64) -> usize {
        ((width - longest_name(width)) / 13.5) as usize
    }

    fn layout(&self, available: f64) -> Layout {
        let widest = |names: &mut dyn Iterator<Item = &String>| {
            names.map(|name| width(name, SMALL)).fold(16.0, f64::max)
        };
        let names = widest(&mut self.rows.iter().map(|row| &row.name)).min(longest_name(available)) + 8.0;
        let most = if available < ROOMY { 120.0 } else { 170.0 };
        let heads = if self.turned { widest(&mut self.columns.iter()).min(most) + 8.0 } else { 18.0 };
        let cell = ((available - names) / self.columns.len().max(1) as f64).min(WIDEST);
        Layout { names, heads, cell }
    }

    /// The rows that stand below each other. If there is room, each group with a heading stands next to the
    /// one before.
    fn panels(&self, available: f64) -> Vec<&[GridRow]> {
        let starts = self.rows.iter().enumerate().filter(|(i, row)| *i > 0 && row.values.is_empty());
        let cuts: Vec<usize> = starts.map(|(i, _)| i).collect();
        if available < ROOMY || cuts.is_empty() {
            return vec![&self.rows];
        }
        let bounds: Vec<usize> = [0].into_iter().chain(cuts).chain([self.rows.len()]).collect();
        bounds.windows(2).map(|ends| &self.rows[ends[0]..ends[1]]).collect()
    }

    /// The number at which colors are full: a round number that no cell exceeds.
    fn full(&self) -> f64 {
        let sizes = self.rows.iter().flat_map(|row| &row.values).map(|value| value.abs());
        let most = sizes.filter(|size| size.is_finite()).fold(FAINTEST, f64::max);
        [0.05, 0.1, 0.2, 0.5].into_iter().find(|&full| most <= full).unwrap_or(1.0)
    }

    fn draw_scale(&self, svg: &mut Svg, full: f64, available: f64) {
        svg.text("ink strong", (0.0, 14.0), Anchor::Start, &fitted(&self.title, TEXT, available));
        let steps = 11;
        let (left, step) = (38.0, 12.0);
        let text = format!("{full}");
        svg.text("quiet small", (left - 5.0, 35.0), Anchor::End, &format!("\u{2212}{text}"));
        for i in 0..steps {
            let share = 2.0 * i as f64 / (steps - 1) as f64 - 1.0;
            self.draw_cell(svg, (left + step * i as f64, 25.0), (step, 12.0), share, "");
        }
        let right = left + step * steps as f64 + 5.0;
        svg.text("quiet small", (right, 35.0), Anchor::Start, &text);
        let label_left = right + width(&text, SMALL) + 12.0;
        let label = fitted(&self.scale_label, SMALL, available - label_left);
        svg.text("quiet small", (label_left, 35.0), Anchor::Start, &label);
    }

    fn draw_cell(&self, svg: &mut Svg, at: (f64, f64), size: (f64, f64), share: f64, title: &str) {
        let class = if share < 0.0 { "neg" } else { "pos" };
        svg.rect(class, at, size, share.abs().min(1.0) * 0.999, title);
    }

    /// Draws the names of the columns. The name of a component comes with an outline around the component's
    /// cells, which are between `top` and `bottom`.
    fn draw_heads(&self, svg: &mut Svg, layout: &Layout, left: f64, (top, bottom): (f64, f64)) {
        let class = self.column_color.map_or("ink small".into(), |color| format!("small f{color}"));
        let baseline = TOP + layout.heads - 5.0;
        let step = (width("00", SMALL) / layout.cell).ceil().max(1.0) as usize;
        for (j, name) in self.columns.iter().enumerate() {
            let x = left + layout.names + (j as f64 + 0.5) * layout.cell;
            if self.turned {
                let name = fitted(name, SMALL, layout.heads - 8.0);
                svg.turned_text(&class, (x + 4.0, baseline), Anchor::Start, -90, &name);
                continue;
            }
            let head = |svg: &mut Svg| {
                if j % step == 0 {
                    svg.text(&class, (x, baseline), Anchor::Middle, name);
                }
            };
            if self.is_linked {
                svg.linked(j, |svg| {
                    head(svg);
                    let corner = (x - layout.cell / 2.0 - 0.5, top - 0.5);
                    svg.frame("outline", corner, (layout.cell, bottom - top));
                });
            } else {
                head(svg);
            }
        }
    }

    fn draw_panel(&self, svg: &mut Svg, rows: &[GridRow], left: f64, available: f64) {
        let layout = self.layout(available);
        let (first, full) = (TOP + layout.heads, self.full());
        for (i, row) in rows.iter().enumerate() {
            let y = first + ROW * i as f64;
            if row.values.is_empty() {
                svg.text(&format!("strong f{}", row.color), (left, y + 12.5), Anchor::Start, &row.name);
                continue;
            }
            let name = fitted(&row.name, SMALL, layout.names - 8.0);
            let class = format!("small f{}", row.color);
            svg.text(&class, (left + layout.names - 6.0, y + 12.5), Anchor::End, &name);
            for (j, value) in row.values.iter().copied().enumerate() {
                let x = left + layout.names + layout.cell * j as f64;
                // A drawing for a phone needs no texts for a pointer.
                let title = if svg.width < NARROW {
                    String::new()
                } else {
                    format!("{}, {}: {}", row.name, self.columns[j], decimal(value, 3))
                };
                let share = if value.is_finite() { value / full } else { 0.0 };
                self.draw_cell(svg, (x, y), (layout.cell - 1.0, ROW - 1.0), share, &title);
                if layout.cell >= NUMBERED && row.values.len() <= MOST_NUMBERED {
                    let number = decimal(value, 2);
                    let middle = (x + layout.cell / 2.0 - 0.5, y + 12.5);
                    let class = if share.abs() > DARK { "on-full small" } else { "on-faint small" };
                    svg.text(class, middle, Anchor::Middle, &number);
                }
            }
        }
        let heading = rows.first().filter(|row| row.values.is_empty()).map_or(0.0, |_| ROW);
        self.draw_heads(svg, &layout, left, (first + heading, first + ROW * rows.len() as f64));
    }
}

impl Picture for Grid {
    fn draw(&self, width: f64) -> Svg {
        let panels = self.panels(width);
        let gaps = GAP * (panels.len() as f64 - 1.0);
        let each = (width - gaps) / panels.len() as f64;
        let tallest = panels.iter().map(|rows| rows.len()).max().unwrap_or(0);
        let height = TOP + self.layout(each).heads + ROW * tallest as f64 + 6.0;
        let mut svg = Svg::new(width, height, &self.description);
        self.draw_scale(&mut svg, self.full(), width);
        for (i, rows) in panels.into_iter().enumerate() {
            self.draw_panel(&mut svg, rows, i as f64 * (each + GAP), each);
        }
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(values: Vec<Vec<f64>>) -> Grid {
        let row =
            |values: Vec<f64>| GridRow { name: "a long name <b> of a column".repeat(3), color: 0, values };
        let columns = (0..values[0].len()).map(|j| format!("column {j}")).collect();
        let rows = values.into_iter().map(row).collect();
        Grid {
            description: "grid".into(),
            title: "t".into(),
            scale_label: "correlation".into(),
            rows,
            columns,
            column_color: Some(1),
            turned: true,
            is_linked: false,
        }
    }

    #[test]
    fn colors_are_full_at_a_round_number_and_noise_stays_faint() {
        assert_eq!(grid(vec![vec![1e-12, -1e-12]]).full(), FAINTEST);
        assert_eq!(grid(vec![vec![0.15, -0.02]]).full(), 0.2);
        assert_eq!(grid(vec![vec![0.7, f64::NAN]]).full(), 1.0);
    }

    #[test]
    fn groups_of_rows_stand_side_by_side_if_there_is_room() {
        let mut grid = Grid { turned: false, is_linked: true, ..grid(vec![vec![0.5], vec![0.4]]) };
        let heading = |name: &str| GridRow { name: name.into(), color: 0, values: Vec::new() };
        grid.rows.insert(1, heading("Y"));
        grid.rows.insert(0, heading("X"));
        let [narrow, roomy] = [720.0, 1112.0].map(|width| grid.draw(width));
        assert!(roomy.height < narrow.height);
        // There is one head and outline of the component in each panel: one panel here and two there.
        let count = |svg: &Svg| svg.document().matches("<g data-component=\"1\">").count();
        assert_eq!([count(&narrow), count(&roomy)], [1, 2]);
    }

    #[test]
    fn a_number_that_is_none_is_not_shown_as_0() {
        let svg = grid(vec![vec![f64::NAN, 0.5]]).draw(760.0).document();
        assert!(svg.contains(", column 0: –</title>") && svg.contains(">–</text>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains(">0.00</text>"), "{svg}");
    }

    /// The contrast ratio of the Web Content Accessibility Guidelines.
    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let linear = |v: f64| if v <= 0.03928 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
        let luminance = |color: [f64; 3]| {
            let [red, green, blue] = color.map(|v| linear(v / 255.0));
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let [a, b] = [a, b].map(|color| luminance(color) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn numbers_are_legible_on_every_cell_in_light_and_dark() {
        use crate::picture::style::color;
        for (is_dark, class) in [(false, "pos"), (false, "neg"), (true, "pos"), (true, "neg")] {
            let [full, paper] = [class, "paper"].map(|class| color(class, is_dark));
            let [on_full, on_faint] = ["on-full", "on-faint"].map(|class| color(class, is_dark));
            for percent in 0..=100 {
                let share = f64::from(percent) / 100.0;
                let cell = [0, 1, 2].map(|i| share * full[i] + (1.0 - share) * paper[i]);
                let found = contrast(cell, if share > DARK { on_full } else { on_faint });
                assert!(found > 4.4, "{class}, dark {is_dark}, {share}: {found}");
            }
        }
    }

    #[test]
    fn names_stay_in_the_picture_at_every_width() {
        for width in [320.0, 760.0] {
            let columns = Grid::room(width);
            let grid = grid(vec![vec![0.5; columns]]);
            let layout = grid.layout(width);
            assert!(layout.names + layout.cell * columns as f64 <= width + 0.1 && layout.cell > 10.0);
            assert!(!grid.draw(width).document().contains("<b>"));
        }
    }
}
