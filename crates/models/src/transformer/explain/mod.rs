//! How the numbers of an account come about, and all of them as one value.

mod derive;
mod exchange;
mod lines;
mod load;
mod report;
mod tree;

pub use lines::Line;
