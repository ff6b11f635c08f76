//! Heatmaps: numbers from −1 to 1 as cells, green above 0 and purple below, fading into the paper at 0.

use super::measure::{SMALL, TEXT, fitted, width};
use super::svg::{Anchor, Svg};
use super::{NARROW, Picture};
use crate::shown::decimal;

/// The height of a row, and the widest cell.
const ROW: f64 = 17.0;
const WIDEST: f64 = 46.0;
/// A cell must be this wide to hold its number.
const NUMBERED: f64 = 33.0;
/// The largest number that is still drawn faintly, so that noise is not colored like something.
const FAINTEST: f64 = 0.05;

/// A row of cells, or a heading if it has none.
pub struct GridRow {
    pub name: String,
    /// The number of the color of the name.
    pub color: usize,
    pub values: Vec<f64>,
}

/// From this share of the full color on, numbers are written in the color of the paper.
const DARK: f64 = 0.65;

pub struct Grid {
    pub description: String,
    /// Above the columns.
    pub title: String,
    /// What the colors mean.
    pub scale_label: String,
    pub rows: Vec<GridRow>,
    /// The names of the columns, and the number of their color, if they have one.
    pub columns: Vec<String>,
    pub column_color: Option<usize>,
    /// Names of columns are turned, because they are long.
    pub turned: bool,
}

/// Where everything is.
struct Layout {
    names: f64,
    heads: f64,
    top: f64,
    cell: f64,
}

impl Grid {
    /// How many columns have room at this width, if their names are turned.
    pub fn room(width: f64) -> usize {
        let names = if width < NARROW { 0.34 * width } else { 170.0 };
        ((width - names) / 13.5) as usize
    }

    fn layout(&self, available: f64) -> Layout {
        let widest = |names: &mut dyn Iterator<Item = &String>| {
            names.map(|name| width(name, SMALL)).fold(16.0, f64::max)
        };
        let most = if available < NARROW { 0.34 * available } else { 170.0 };
        let names = widest(&mut self.rows.iter().map(|row| &row.name)).min(most) + 8.0;
        let heads = if self.turned { widest(&mut self.columns.iter()).min(120.0) + 8.0 } else { 18.0 };
        let cell = ((available - names) / self.columns.len().max(1) as f64).min(WIDEST);
        Layout { names, heads, top: 62.0, cell }
    }

    /// The number at which colors are full: a round one that no cell exceeds.
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

    fn draw_heads(&self, svg: &mut Svg, layout: &Layout) {
        let class = self.column_color.map_or("ink small".into(), |color| format!("small f{color}"));
        let baseline = layout.top + layout.heads - 5.0;
        let step = (width("00", SMALL) / layout.cell).ceil().max(1.0) as usize;
        for (j, name) in self.columns.iter().enumerate() {
            let x = layout.names + (j as f64 + 0.5) * layout.cell;
            if self.turned {
                let name = fitted(name, SMALL, layout.heads - 8.0);
                svg.turned_text(&class, (x + 4.0, baseline), Anchor::Start, -90, &name);
            } else if j % step == 0 {
                svg.text(&class, (x, baseline), Anchor::Middle, name);
            }
        }
    }
}

impl Picture for Grid {
    fn draw(&self, width: f64) -> Svg {
        let layout = self.layout(width);
        let first = layout.top + layout.heads;
        let mut svg = Svg::new(width, first + ROW * self.rows.len() as f64 + 6.0, &self.description);
        let full = self.full();
        self.draw_scale(&mut svg, full, width);
        self.draw_heads(&mut svg, &layout);
        for (i, row) in self.rows.iter().enumerate() {
            let y = first + ROW * i as f64;
            if row.values.is_empty() {
                svg.text(&format!("strong f{}", row.color), (0.0, y + 12.5), Anchor::Start, &row.name);
                continue;
            }
            let name = fitted(&row.name, SMALL, layout.names - 8.0);
            let class = format!("small f{}", row.color);
            svg.text(&class, (layout.names - 6.0, y + 12.5), Anchor::End, &name);
            for (j, value) in row.values.iter().copied().enumerate() {
                let x = layout.names + layout.cell * j as f64;
                // A phone has no pointer, so its drawing needs no texts for one.
                let title = if width < NARROW {
                    String::new()
                } else {
                    format!("{}, {}: {}", row.name, self.columns[j], decimal(value, 3))
                };
                let share = if value.is_finite() { value / full } else { 0.0 };
                self.draw_cell(&mut svg, (x, y), (layout.cell - 1.0, ROW - 1.0), share, &title);
                if layout.cell >= NUMBERED {
                    let number = decimal(value, 2);
                    let middle = (x + layout.cell / 2.0 - 0.5, y + 12.5);
                    let class = if share.abs() > DARK { "paper small" } else { "ink small" };
                    svg.text(class, middle, Anchor::Middle, &number);
                }
            }
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
        }
    }

    #[test]
    fn colors_are_full_at_a_round_number_and_noise_stays_faint() {
        assert_eq!(grid(vec![vec![1e-12, -1e-12]]).full(), FAINTEST);
        assert_eq!(grid(vec![vec![0.15, -0.02]]).full(), 0.2);
        assert_eq!(grid(vec![vec![0.7, f64::NAN]]).full(), 1.0);
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
            let [full, paper, ink] = [class, "paper", "ink"].map(|class| color(class, is_dark));
            for percent in 0..=100 {
                let share = f64::from(percent) / 100.0;
                let cell = [0, 1, 2].map(|i| share * full[i] + (1.0 - share) * paper[i]);
                let found = contrast(cell, if share > DARK { paper } else { ink });
                assert!(found > 3.5, "{class}, dark {is_dark}, {share}: {found}");
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
