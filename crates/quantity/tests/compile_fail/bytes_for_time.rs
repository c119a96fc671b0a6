//! Passing bytes where a time is needed.
use mlsysim_quantity::{Bytes, Time};

fn wait(_time: Time) {}

fn main() {
    wait(Bytes::from_base(1.0));
}
