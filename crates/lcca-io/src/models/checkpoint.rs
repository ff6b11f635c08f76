//! The state of a fit as a safetensors file, from which the same fit can continue.
//!
//! Tensors, all f64: `x.weights` and `y.weights` (columns × m), `x.step` and `y.step` if the loop keeps its
//! last step, `trace` (iterations × 7: iteration, passes, passes over Gram matrices, work, total, seconds,
//! and an estimate of the missing share or NaN), `totals` and `by_residuals`. The metadata says `format`
//! (`lcca-checkpoint`), `version`, `program`, `loop`, `passes`, `gram_passes`, `columns` and `identity`
//! (JSON: the fit it belongs to). The last tensor is `checksums`. Files of the first version have a
//! `checksum` in their metadata instead (CRC-32 of the other texts and of the tensors).

use crate::error::{Fault, Outcome, Result, one_line};
use crate::input::source;
use crate::parts::identity::{Comparison, Identity};
use crate::parts::kind::{Kind, VERSION};
use crate::parts::panels::{read_panel, write_panel};
use crate::parts::tensors::{Announced, TensorFile, begin_tensors};
use crate::safe::atomic::Output;
use lcca::data::Cost;
use lcca::fit::{Checkpoint, TraceRow};
use lcca::matrix::Panel;
use safetensors::tensor::Dtype;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// The texts that the checksum of the first version covers. It leaves out `program`, which is for people.
const CHECKED: [&str; 5] = ["loop", "passes", "gram_passes", "columns", "identity"];
const WEIGHTS: [&str; 2] = ["x.weights", "y.weights"];
const STEP: [&str; 2] = ["x.step", "y.step"];

/// Writes a checkpoint of the fit that `identity` describes.
pub fn write_checkpoint(path: &Path, state: &Checkpoint, identity: &Identity) -> Result<()> {
    let mut output = Output::create(path)?;
    write(&mut output, state, identity).map_err(|error| output.failed(error))?;
    output.commit()
}

fn write(out: &mut impl Write, state: &Checkpoint, identity: &Identity) -> io::Result<()> {
    let texts = BTreeMap::from([
        ("format", Kind::Checkpoint.format().to_string()),
        ("version", VERSION.to_string()),
        ("program", env!("CARGO_PKG_VERSION").to_string()),
        ("loop", serde_json::to_string(&state.algorithm)?),
        ("passes", format!("{:?}", state.cost.passes)),
        ("gram_passes", format!("{:?}", state.cost.gram_passes)),
        ("columns", format!("{:?}", state.cost.columns)),
        ("identity", identity.to_json()),
    ]);
    let tensors = tensors(state);
    let announced =
        |(name, panel): &Tensor<'_>| -> Announced { (name, Dtype::F64, vec![panel.rows(), panel.cols()]) };
    let mut out = begin_tensors(out, &texts, &tensors.iter().map(announced).collect::<Vec<_>>())?;
    tensors.iter().try_for_each(|(_, panel)| write_panel(&mut out, panel))?;
    out.finish()
}

/// A tensor's name and numbers.
type Tensor<'s> = (&'static str, Cow<'s, Panel>);

/// All tensors in the order of the file.
fn tensors(state: &Checkpoint) -> Vec<Tensor<'_>> {
    let trace: Vec<[f64; 7]> = state.trace.iter().map(numbers).collect();
    let trace = Panel::from_fn(trace.len(), 7, |i, j| trace[i][j]);
    let column = |values: &[f64]| Cow::Owned(Panel::from_fn(values.len(), 1, |i, _| values[i]));
    let history = [("totals", column(&state.totals)), ("by_residuals", column(&state.by_residuals))];
    let weights = WEIGHTS.into_iter().zip(state.weights.iter().map(Cow::Borrowed));
    let step = STEP.into_iter().zip(state.step.iter().flatten().map(Cow::Borrowed));
    weights.chain(step).chain([("trace", Cow::Owned(trace))]).chain(history).collect()
}

/// The seven numbers of a row of the trace; an unknown `missing` is NaN.
fn numbers(row: &TraceRow) -> [f64; 7] {
    let TraceRow { iteration, passes, gram_passes, work, total, missing, seconds } = *row;
    [iteration as f64, passes, gram_passes, work, total, seconds, missing.unwrap_or(f64::NAN)]
}

/// Reads a checkpoint, and refuses one that belongs to another fit with a message that says how they
/// differ.
pub fn read_checkpoint(path: &Path, identity: &Identity) -> Result<Checkpoint> {
    read_identified(path, identity).map(|(state, _)| state)
}

/// Reads a checkpoint as [`read_checkpoint`] does, and returns whether the file has a fingerprint of its
/// rows. Files of the first version have only the shape and the moments.
pub(crate) fn read_identified(path: &Path, identity: &Identity) -> Result<(Checkpoint, bool)> {
    let file = source::map(path).and_then(TensorFile::open);
    file.and_then(|file| read(&file, identity)).map_err(|fault| fault.at(path))
}

fn read(file: &TensorFile, identity: &Identity) -> Outcome<(Checkpoint, bool)> {
    let (state, known) = read_any(file)?;
    match identity.compare(&known)? {
        Comparison::Same => Ok((state, true)),
        Comparison::SameAsFarAsKnown => Ok((state, false)),
        Comparison::Different(what) => Err(Fault::new(format!("belongs to another fit: {what}"))),
    }
}

/// The state, of any fit, and the description of the fit that it belongs to.
pub(crate) fn read_any(file: &TensorFile) -> Outcome<(Checkpoint, String)> {
    Kind::Checkpoint.check(file)?;
    let state = Checkpoint {
        algorithm: serde_json::from_str(file.text("loop")?)
            .map_err(|error| Fault::new(one_line(&error)).within("loop"))?,
        weights: read_pair(file, WEIGHTS)?,
        step: file.dtype(STEP[0]).map(|_| read_pair(file, STEP)).transpose()?,
        trace: read_trace(file)?,
        totals: read_column(file, "totals")?,
        by_residuals: read_column(file, "by_residuals")?,
        cost: Cost {
            passes: file.parsed("passes")?,
            gram_passes: file.parsed("gram_passes")?,
            columns: file.parsed("columns")?,
        },
    };
    if !file.has_checksums() {
        check_sum(file, &state)?;
    }
    Ok((state, file.text("identity")?.to_string()))
}

fn read_pair(file: &TensorFile, [x, y]: [&str; 2]) -> Outcome<[Panel; 2]> {
    Ok([read_panel(file, x)?, read_panel(file, y)?])
}

fn read_trace(file: &TensorFile) -> Outcome<Vec<TraceRow>> {
    let rows = read_panel(file, "trace")?;
    let row = |i: usize| match *rows.row(i) {
        [iteration, passes, gram_passes, work, total, seconds, missing] => {
            let (iteration, missing) = (iteration as usize, (!missing.is_nan()).then_some(missing));
            Ok(TraceRow { iteration, passes, gram_passes, work, total, missing, seconds })
        }
        _ => Err(Fault::new(format!("has {} columns, expected 7", rows.cols())).within("trace")),
    };
    (0..rows.rows()).map(row).collect()
}

/// The history of a loop. A loop without one has a tensor without rows, which is not a panel.
fn read_column(file: &TensorFile, name: &str) -> Outcome<Vec<f64>> {
    Ok(file.tensor::<f64>(name, Dtype::F64)?.0.iter().collect())
}

/// Checks the checksum that files of the first version have in their metadata.
fn check_sum(file: &TensorFile, state: &Checkpoint) -> Outcome<()> {
    let texts: Vec<&str> = CHECKED.iter().map(|key| file.text(key)).collect::<Outcome<_>>()?;
    let mut checksum = Checksum::new(texts.into_iter());
    tensors(state).iter().try_for_each(|(_, panel)| write_panel(&mut checksum, panel))?;
    if checksum.finish() != file.text("checksum")? {
        return Err(Fault::new("is damaged: the checksum does not match"));
    }
    Ok(())
}

/// The CRC-32 of all bytes that are written into it.
struct Checksum(crc32fast::Hasher);

impl Checksum {
    fn new<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut hasher = crc32fast::Hasher::new();
        texts.for_each(|text| hasher.update(text.as_bytes()));
        Checksum(hasher)
    }

    fn finish(self) -> String {
        format!("{:08x}", self.0.finalize())
    }
}

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
