//! Adding gigabytes to milliseconds.
use mlsysim_quantity::units::{GIGABYTE, MILLISECOND};

fn main() {
    let _ = 2.0 * GIGABYTE + 3.0 * MILLISECOND;
}
