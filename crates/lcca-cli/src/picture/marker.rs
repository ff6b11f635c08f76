//! Shapes of points. Each series has its own shape, because color must not be the only difference.

use super::style::OTHERS;
use super::svg::number;

/// The SVG path of a shape around a point, `radius` pixels large.
pub fn marker(kind: usize, (x, y): (f64, f64), radius: f64) -> String {
    let r = radius;
    let polygon = |corners: &[(f64, f64)]| {
        let steps: Vec<String> =
            corners.iter().map(|(dx, dy)| format!("{} {}", number(x + r * dx), number(y + r * dy))).collect();
        format!("M{}z", steps.join("L"))
    };
    // Points without their own look are round, because the square belongs to a label.
    match if kind == OTHERS { 0 } else { kind % 6 } {
        0 => {
            let (left, r2) = (number(x - r), number(r));
            let d = number(2.0 * r);
            format!("M{left} {}a{r2} {r2} 0 1 0 {d} 0a{r2} {r2} 0 1 0 -{d} 0z", number(y))
        }
        1 => polygon(&[(0.0, -1.25), (1.2, 0.9), (-1.2, 0.9)]),
        2 => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        3 => polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        4 => polygon(&[(0.0, 1.25), (1.2, -0.9), (-1.2, -0.9)]),
        _ => polygon(&[
            (-0.4, -1.3),
            (0.4, -1.3),
            (0.4, -0.4),
            (1.3, -0.4),
            (1.3, 0.4),
            (0.4, 0.4),
            (0.4, 1.3),
            (-0.4, 1.3),
            (-0.4, 0.4),
            (-1.3, 0.4),
            (-1.3, -0.4),
            (-0.4, -0.4),
        ]),
    }
}
