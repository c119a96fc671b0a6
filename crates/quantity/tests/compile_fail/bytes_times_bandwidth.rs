//! Multiplying a payload by a bandwidth, where dividing is meant.
use mlsysim_quantity::{Bandwidth, Bytes};

fn transfer(payload: Bytes, link: Bandwidth) {
    let _ = payload * link;
}

fn main() {
    transfer(Bytes::ZERO, Bandwidth::ZERO);
}
