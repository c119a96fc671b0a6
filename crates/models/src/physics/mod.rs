//! Pure formulas by subject; each stands once.

pub mod communication;
pub mod compute;
