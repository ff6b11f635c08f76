//! Rows that carry the space in which panels live.

use super::{Host, Space};
use crate::data::{
    Ask, Capabilities, Composition, GramEstimate, InMemory, JointGram, JointGrams, Moments, Pair, PanelSpace,
    Reduced, Shape, Side, Structure,
};
use crate::error::Result;
use std::ops::Deref;
use std::sync::Arc;

/// A pair whose fits keep their panels in a given space. In every other respect it is the wrapped pair.
pub struct Placed<P> {
    inner: P,
    space: Shared,
}

/// A space as a capability of rows. It is opaque because rows are below spaces and cannot name them.
struct Shared(Arc<dyn Space>);

impl PanelSpace for Shared {
    fn moments(&self, rows: &InMemory) -> Result<Option<[Moments; 2]>> {
        self.0.moments(rows)
    }

    fn joint_gram(&self, rows: &InMemory, limit: u64) -> Result<Option<JointGram>> {
        self.0.joint_gram(rows, limit)
    }
}

/// The space in which panels of passes over `pair` should live: ordinary memory unless the rows say
/// otherwise.
pub fn of(pair: &dyn Pair) -> &dyn Space {
    match pair.capabilities().space.and_then(|space| space.downcast_ref::<Shared>()) {
        Some(Shared(space)) => &**space,
        None => &Host,
    }
}

/// Makes fits to these rows, or to some of them, keep their panels in `space`.
pub fn place(pair: InMemory, space: Arc<dyn Space>) -> InMemory {
    pair.placed(Some(Arc::new(Shared(space))))
}

/// Wraps `inner` so that its panels live where those of `other` do.
pub(crate) fn beside<'a>(inner: Box<dyn Pair + 'a>, other: &dyn Pair) -> Box<dyn Pair + 'a> {
    match other.capabilities().space.and_then(|space| space.downcast_ref::<Shared>()) {
        Some(Shared(space)) => Box::new(Placed::new(inner, space.clone())),
        None => inner,
    }
}

impl<P: Deref<Target: Pair> + Sync> Placed<P> {
    /// Wraps `inner` so that its panels live in `space`.
    pub fn new(inner: P, space: Arc<dyn Space>) -> Self {
        Placed { inner, space: Shared(space) }
    }
}

impl<P: Deref<Target: Pair> + Sync> Pair for Placed<P> {
    fn shape(&self) -> Shape {
        self.inner.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        let home = self.inner.composition().map(|composition| composition.home);
        if let Some(rows) = home.and_then(|home| home.downcast_ref::<InMemory>()) {
            rows.summed_by(&self.space)?;
        }
        self.inner.moments(side)
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        self.inner.pass(ask)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        let inner = self.inner.capabilities();
        Capabilities {
            structure: inner.structure.map(|_| self as &dyn Structure),
            grams: inner.grams,
            joint_grams: inner.joint_grams.map(|_| self as &dyn JointGrams),
            triangles: inner.triangles,
            blocks: inner.blocks,
            samples: inner.samples,
            covariates: inner.covariates,
            space: Some(&self.space),
        }
    }

    fn composition(&self) -> Option<Composition<'_>> {
        self.inner.composition()
    }
}

impl<P: Deref<Target: Pair> + Sync> JointGrams for Placed<P> {
    fn estimate(&self) -> Result<Option<GramEstimate>> {
        self.inner.capabilities().require_joint_grams()?.estimate()
    }

    /// Rows can be left to the space if no wrapper changes them.
    fn joint_gram(&self, limit: u64) -> Result<JointGram> {
        let plain = self.inner.composition().filter(Composition::is_plain);
        if let Some(rows) = plain.and_then(|plain| plain.home.downcast_ref::<InMemory>())
            && let Some(joint) = self.space.joint_gram(rows, limit)?
        {
            return Ok(joint);
        }
        self.inner.capabilities().require_joint_grams()?.joint_gram(limit)
    }

    fn is_formed(&self) -> bool {
        self.inner.capabilities().joint_grams.is_some_and(JointGrams::is_formed)
    }
}

impl<P: Deref<Target: Pair> + Sync> Structure for Placed<P> {
    fn is_one_hot(&self, side: Side) -> bool {
        self.inner.capabilities().structure.is_some_and(|structure| structure.is_one_hot(side))
    }

    /// The panels of the smaller pair live in the same space.
    fn reduced(&self) -> Result<Option<Reduced>> {
        let Some(structure) = self.inner.capabilities().structure else { return Ok(None) };
        Ok(structure.reduced()?.map(|reduced| Reduced {
            pair: Box::new(Placed { inner: reduced.pair, space: Shared(self.space.0.clone()) }),
            ..reduced
        }))
    }
}
