//! Methods in the form that files hold.

use super::{INNER, Method};
use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;

/// The name of a parameter in files, which have underscores.
fn stored_name(parameter: &str) -> String {
    parameter.replace('-', "_")
}

/// Writes `{"name": "l-cca", "t1": 5, "t2": 38, "k_pc": 100}`. A chosen solver is `"inner": "cholesky"`, or
/// `"inner": {"cg": {"t2": 500}}` if it has parameters.
impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", self.name())?;
        let solver = self.solver_spec();
        let solver_values: BTreeMap<String, usize> = solver
            .into_iter()
            .flat_map(|solver| solver.parameters)
            .map(|parameter| (stored_name(parameter.name), self.values[parameter.name]))
            .collect();
        for parameter in self.spec.own.iter().filter(|parameter| parameter.name != INNER) {
            map.serialize_entry(&stored_name(parameter.name), &self.values[parameter.name])?;
        }
        match solver {
            Some(solver) if self.spec.solvers.len() > 1 && solver_values.is_empty() => {
                map.serialize_entry(INNER, solver.name)?;
            }
            Some(solver) if self.spec.solvers.len() > 1 => {
                map.serialize_entry(INNER, &BTreeMap::from([(solver.name, solver_values)]))?;
            }
            _ => solver_values.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?,
        }
        map.end()
    }
}

/// A method in the form that files hold.
#[derive(serde::Deserialize)]
struct Stored {
    name: String,
    #[serde(default)]
    inner: Option<StoredSolver>,
    #[serde(flatten)]
    values: BTreeMap<String, usize>,
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum StoredSolver {
    Name(String),
    WithValues(BTreeMap<String, BTreeMap<String, usize>>),
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Stored { name, inner, mut values } = Stored::deserialize(deserializer)?;
        let method =
            Method::named(&name).ok_or_else(|| de::Error::custom(format!("there is no method {name}")))?;
        let solver = match inner {
            None => None,
            Some(StoredSolver::Name(solver)) => Some(solver),
            Some(StoredSolver::WithValues(one)) => {
                let (solver, more) =
                    one.into_iter().next().ok_or_else(|| de::Error::custom("inner is empty"))?;
                values.extend(more);
                Some(solver)
            }
        };
        let mut texts: Vec<(String, String)> =
            values.into_iter().map(|(name, value)| (name.replace('_', "-"), value.to_string())).collect();
        texts.extend(solver.map(|solver| (INNER.to_string(), solver)));
        let texts = texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        method.configured(texts).map_err(de::Error::custom)
    }
}
