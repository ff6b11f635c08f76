//! The settings of the fit, and the command that repeats it.

use super::subject::Subject;
use crate::html::element::{self, Section};
use crate::provenance::read_flags;
use crate::shown::shortened;
use lcca::method::{Method, Scale, Settings};
use serde_json::Value;

pub fn section(subject: &Subject<'_>) -> Section {
    let command = shortened(&command(subject), 4000);
    let content = [
        element::paragraph(
            "This command repeats the fit if it is typed in the folder in which the fit was typed:",
        ),
        element::command(&command),
        element::facts(&facts(subject)),
    ];
    Section { id: "settings", title: "Settings", markup: content.concat() }
}

/// The command that repeats the fit, as far as the model knows it. Settings at their defaults are left out.
fn command(subject: &Subject<'_>) -> String {
    let file = |key: &str| subject.provenance.get(key).and_then(Value::as_str);
    let mut words = vec!["lcca".to_string(), "fit".into()];
    words.extend([file("x").unwrap_or("X").to_string(), file("y").unwrap_or("Y").to_string()]);
    words.extend(flags(&subject.model.settings));
    words.extend(read_flags(subject.provenance));
    if let Some(threads) = subject.provenance.get("threads").and_then(Value::as_u64) {
        words.extend(["--threads".into(), threads.to_string()]);
    }
    words.extend(["-o".into(), subject.path.to_string()]);
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word, quoted so that a shell reads it as one.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=+,@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn flags(settings: &Settings) -> Vec<String> {
    let defaults = Settings::new(Method::auto(), settings.k);
    let mut words = vec!["-k".to_string(), settings.k.to_string()];
    words.extend(method(settings.method));
    let mut flag = |name: &str, value: String, differs: bool| {
        if differs {
            words.extend([name.to_string(), value]);
        }
    };
    flag("--ridge", settings.ridge_x.to_string(), settings.ridge_x != 0.0);
    flag("--ridge-y", settings.ridge_y.to_string(), settings.ridge_y != settings.ridge_x);
    flag("--metric", settings.metric_x.name().into(), settings.metric_x != defaults.metric_x);
    flag("--metric-y", settings.metric_y.name().into(), settings.metric_y != settings.metric_x);
    let [x_rows, y_rows] = settings.normalization();
    flag("--normalize-rows", x_rows.name().into(), !x_rows.is_no());
    flag("--normalize-rows-y", y_rows.name().into(), y_rows != x_rows);
    flag("--oversample", settings.oversample.unwrap_or(0).to_string(), settings.oversample.is_some());
    flag("--power", settings.power.to_string(), settings.power != defaults.power);
    flag("--seed", settings.seed.to_string(), settings.seed != defaults.seed);
    flag("--tol", settings.tol.to_string(), settings.tol != defaults.tol);
    flag("--max-passes", settings.max_passes.unwrap_or(0.0).to_string(), settings.max_passes.is_some());
    words.extend((!settings.center).then(|| "--no-center".to_string()));
    match settings.scale {
        Scale::Auto => {}
        Scale::Yes => words.extend(["--scale".into(), "yes".into()]),
        Scale::No => words.extend(["--scale".into(), "no".into()]),
    }
    words.extend((!settings.structure).then(|| "--no-structure".to_string()));
    words
}

/// The flags of the method and of all its parameters; none for the default method.
fn method(method: Method) -> Vec<String> {
    if method == Method::auto() {
        return Vec::new();
    }
    let mut words: Vec<String> = ["--method".into(), method.name().into()].into();
    for (parameter, value) in method.settings() {
        words.extend([format!("--{}", parameter.name), parameter.format(value)]);
    }
    words
}

fn facts(subject: &Subject<'_>) -> Vec<(String, String)> {
    let settings = &subject.model.settings;
    let yes_or_no = |flag: bool| if flag { "yes" } else { "no" }.to_string();
    let known = |key: &str| match subject.provenance.get(key) {
        None => "not known".to_string(),
        Some(Value::String(plain)) => shortened(plain, 100),
        Some(other) => shortened(&other.to_string(), 100),
    };
    let mut facts = vec![("requested method", settings.method.name().to_string())];
    facts.extend(
        settings.method.settings().map(|(parameter, value)| (parameter.name, parameter.format(value))),
    );
    facts.extend([
        ("components", settings.k.to_string()),
        ("centered", yes_or_no(settings.center)),
        ("rows of X normalized", settings.normalize_x.name().into()),
        ("rows of Y normalized", settings.normalize_y.name().into()),
        ("metric of X", settings.metric_x.name().into()),
        ("metric of Y", settings.metric_y.name().into()),
        ("ridge of X, relative", settings.ridge_x.to_string()),
        ("ridge of Y, relative", settings.ridge_y.to_string()),
        ("tolerance", settings.tol.to_string()),
        ("passes at most", settings.max_passes.map_or("no limit".into(), |passes| passes.to_string())),
        ("structure looked for", yes_or_no(settings.structure)),
        ("seed", settings.seed.to_string()),
        ("threads", known("threads")),
        ("fitted by lcca", known("version")),
        ("page by lcca", env!("CARGO_PKG_VERSION").into()),
    ]);
    facts.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_spelled_as_they_are_typed() {
        let spelled = |typed: Method| method(typed).join(" ");
        assert_eq!(spelled(Method::auto()), "");
        assert_eq!(spelled(Method::l_cca(5, 38, 100)), "--method l-cca --t1 5 --t2 38 --k-pc 100");
        let cg = Method::als(7).configured([("inner", "cg"), ("t2", "50")]).unwrap();
        assert_eq!(spelled(cg), "--method als --t1 7 --inner cg --t2 50");
        assert_eq!(spelled(Method::als(7)), "--method als --t1 7 --inner cholesky");
    }

    #[test]
    fn a_shell_takes_every_word_as_one() {
        assert_eq!(
            [quoted("a-b.npz"), quoted("a b"), quoted("it's"), quoted("")],
            ["a-b.npz", "'a b'", "'it'\\''s'", "''"]
        );
    }
}
