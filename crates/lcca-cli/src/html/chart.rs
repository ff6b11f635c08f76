//! A chart as data; `assets/charts.js` draws it.

use serde_json::{Value, json};

/// One curve.
pub struct Series {
    /// The name in the legend.
    pub name: &'static str,
    /// From left to right; points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Dashed and without markers: a line to compare with.
    pub dashed: bool,
}

/// One set of axes, drawn in the figure of the same `id`.
pub struct Chart {
    pub id: String,
    /// A description for readers who cannot see the chart.
    pub description: String,
    pub x_label: &'static str,
    pub y_label: &'static str,
    /// The horizontal axis counts: 1, 2, 3.
    pub x_counts: bool,
    /// The horizontal axis is logarithmic; values that are not above 0 are left out.
    pub x_log: bool,
    /// The vertical axis is logarithmic; values that are not above 0 are left out.
    pub y_log: bool,
    /// The ends of the vertical axis, unless values lie beyond them.
    pub y_ends: Option<(f64, f64)>,
    /// A horizontal line with a name: the value to be reached.
    pub limit: Option<(f64, String)>,
    pub series: Vec<Series>,
}

impl Chart {
    pub fn json(&self) -> Value {
        let has_position = |&&(x, y): &&(f64, f64)| {
            let on_log_axes = (!self.x_log || x > 0.0) && (!self.y_log || y > 0.0);
            x.is_finite() && y.is_finite() && on_log_axes
        };
        let points = |series: &Series| series.points.iter().filter(has_position).copied().collect::<Vec<_>>();
        let series = |s: &Series| json!({ "name": s.name, "points": points(s), "dashed": s.dashed });
        json!({
            "id": self.id,
            "description": self.description,
            "x": { "label": self.x_label, "counts": self.x_counts, "log": self.x_log },
            "y": { "label": self.y_label, "log": self.y_log, "ends": self.y_ends },
            "limit": self.limit.as_ref().map(|(value, name)| json!({ "value": value, "name": name })),
            "series": self.series.iter().map(series).collect::<Vec<_>>(),
        })
    }
}
