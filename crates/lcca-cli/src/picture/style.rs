//! Colors and type of all pictures, as one style sheet for light, dark and paper.
//!
//! A picture in a page takes the sheet of the page; a picture in a file contains the sheet. Rules hold
//! plain colors, because some programs do not know variables.

use std::fmt::Write as _;

/// The look of the first label. The looks before are those of X and Y, which are blue and orange in every
/// picture, so no label has these colors.
pub const LABELS: usize = 2;
/// The look of points without their own look: rows without labels, and labels that are too rare for a
/// color.
pub const OTHERS: usize = 8;

/// Colors of series, views and labels, on light and on dark paper: Okabe and Ito's, darkened or lightened
/// to be legible. The first two are those of X and Y. [`OTHERS`] is the last.
const SERIES: [[&str; 2]; 9] = [
    ["#0072b2", "#56b4e9"],
    ["#c24e00", "#e69f00"],
    ["#00734f", "#4cc79b"],
    ["#a8487c", "#cc79a7"],
    ["#8a6500", "#f0e442"],
    ["#5b4a8a", "#b0a3e0"],
    ["#6e5032", "#c8a27a"],
    ["#00767d", "#5fd0d8"],
    ["#8b8880", "#a09d95"],
];

/// The class, the property, and the color on light paper and on dark paper.
const COLORS: [(&str, &str, &str, &str); 13] = [
    ("paper", "fill", "#fffefb", "#16171a"),
    ("ink", "fill", "#1d1c1a", "#e8e6e1"),
    ("quiet", "fill", "#65625b", "#a29f97"),
    ("grid", "stroke", "#e4e1da", "#2e3035"),
    ("axis", "stroke", "#98958d", "#6d6f75"),
    ("reference", "stroke", "#1d1c1a", "#e8e6e1"),
    ("pos", "fill", "#0b5d2a", "#50a860"),
    ("neg", "fill", "#762a83", "#b883c8"),
    ("on-faint", "fill", "#000000", "#ffffff"),
    ("on-full", "fill", "#ffffff", "#000000"),
    ("mark", "stroke", "#fffefb", "#16171a"),
    ("hollow", "fill", "#fffefb", "#16171a"),
    ("halo", "stroke", "#fffefb", "#16171a"),
];

const SHAPES: &str = "\
.picture text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto \
    Sans\",Arial,sans-serif;white-space:pre}
.picture text.small{font-size:11px}
.picture text.strong{font-weight:600}
.picture line,.picture path,.picture circle{stroke-width:1}
.picture .grid,.picture .axis,.picture .frame,.picture .curve,.picture .reference{fill:none}
.picture .curve{stroke-width:1.75}
.picture .reference{stroke-width:1.5;stroke-dasharray:5 4}
.picture .mark{stroke-width:.5}
.picture .dots{fill:none;stroke-linecap:round;stroke-opacity:.8}
.picture .hollow{stroke-width:1.75}
.picture .band{fill:none;pointer-events:all}
.picture .outline{fill:none;pointer-events:none}
.picture .halo{stroke-width:3;stroke-linejoin:round;paint-order:stroke}
";

/// The style sheet of pictures; `has_paper` adds the rules of a page that may be printed.
pub fn style_sheet(has_paper: bool) -> String {
    let mut sheet = format!("{SHAPES}{}", colors(0));
    let _ = write!(sheet, "@media (prefers-color-scheme:dark){{\n{}}}\n", colors(1));
    if has_paper {
        let _ = write!(sheet, "@media print{{\n{}}}\n", colors(0));
    }
    sheet
}

fn colors(theme: usize) -> String {
    let mut rules = String::new();
    for (i, color) in SERIES.iter().enumerate() {
        let color = color[theme];
        let _ = writeln!(rules, ".picture .f{i}{{fill:{color}}}.picture .s{i}{{stroke:{color}}}");
    }
    for (class, property, light, dark) in COLORS {
        let _ = writeln!(rules, ".picture .{class}{{{property}:{}}}", [light, dark][theme]);
    }
    rules
}

/// The color of a class on light or on dark paper, as red, green and blue.
#[cfg(test)]
pub fn color(class: &str, is_dark: bool) -> [f64; 3] {
    let (_, _, light, dark) = COLORS.iter().find(|color| color.0 == class).copied().unwrap_or_default();
    let code = u32::from_str_radix(&[light, dark][usize::from(is_dark)][1..], 16).unwrap_or_default();
    [16, 8, 0].map(|shift| f64::from(code >> shift & 255))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_is_light_whatever_the_screen_is() {
        let sheet = style_sheet(true);
        let print = sheet.split("@media print").nth(1).unwrap();
        assert!(print.contains(SERIES[0][0]) && !print.contains(SERIES[0][1]));
        assert!(!style_sheet(false).contains("print") && !sheet.contains("</"));
    }
}
