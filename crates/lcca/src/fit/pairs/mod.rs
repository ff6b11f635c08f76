//! Weights of both views with their products, which every method works with.
//!
//! A pair (wx, wy) with WᵀBW = I and WxᵀCxyWy = Θ is what a method looks for; a problem says what B and C
//! are.
//!
//! | file | holds |
//! |---|---|
//! | `beside` | two closures in parallel |
//! | `best_pairs` | Rayleigh–Ritz on measured weights |
//! | `cost` | what passes and iterations cost, in operations |
//! | `eigenproblem` | what LOBPCG needs to know of its equations |
//! | `figures` | what a model reports of its pairs |
//! | `figures_elsewhere` | the same in the space of the panels |
//! | `measured` | weights of both views, measured by one pass |
//! | `problem` | the data as a method sees them, and the settings |
//! | `products` | what a method knows when it ends |
//! | `significant` | a total less what rounding could have added |
//! | `ties` | an order for pairs with equal values |
//! | `units` | units of covariances |
//! | `view_block` | weights of one view with their products |

pub(super) mod beside;
pub(super) mod best_pairs;
pub(super) mod cost;
pub(super) mod eigenproblem;
pub(super) mod figures;
pub(super) mod figures_elsewhere;
pub(super) mod measured;
pub(super) mod problem;
pub(super) mod products;
pub(super) mod significant;
pub(super) mod ties;
pub(super) mod units;
pub(super) mod view_block;
