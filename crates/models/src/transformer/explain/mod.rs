//! How the numbers of an account and of a placed step come about, and all of them as one value.

mod bound;
mod derive;
mod exchange;
mod kept;
mod lines;
mod load;
mod memory;
mod placed;
mod report;
pub(crate) mod tree;

pub use lines::Line;
pub use placed::PlacedLine;
pub(crate) use report::table;
pub(crate) use tree::count;
