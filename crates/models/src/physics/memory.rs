//! What weights occupy, by the size of an element.

use mlsysim_quantity::units::{GIBIBYTE, GIGABYTE, PARAM};
use mlsysim_quantity::{Bytes, Params};
use mlsysim_scenario::{Error, Result, formula, listed};

/// How large an element is when it is stored in a precision.
///
/// TF32 is a format of arithmetic; its elements are stored in 32 bits.
const ELEMENT_SIZES: [(&str, Bytes); 7] = [
    ("fp32", Bytes::from_base(4.0)),
    ("tf32", Bytes::from_base(4.0)),
    ("bf16", Bytes::from_base(2.0)),
    ("fp16", Bytes::from_base(2.0)),
    ("fp8", Bytes::from_base(1.0)),
    ("int8", Bytes::from_base(1.0)),
    ("int4", Bytes::from_base(0.5)),
];

/// The size of one element that is stored in `precision`.
///
/// This is the size in memory, not the format of the arithmetic, so that it names no peak rate.
///
/// ```
/// use mlsysim_models::physics::memory::element_size;
///
/// assert_eq!(element_size("fp16")?.base(), 2.0);
/// assert_eq!(element_size("INT4")?.base(), 0.5);
/// assert!(element_size("fp16_dense").is_err());
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
///
/// # Errors
///
/// There is no such precision; the message lists those that there are.
#[formula]
#[words("4 B in fp32 and tf32, 2 B in fp16 and bf16, 1 B in fp8 and int8, 0.5 B in int4")]
#[unit(B)]
pub fn element_size(precision: &str) -> Result<Bytes> {
    let found = ELEMENT_SIZES.iter().find(|(name, _)| name.eq_ignore_ascii_case(precision));
    found.map(|(_, size)| *size).ok_or_else(|| {
        let names = listed(ELEMENT_SIZES.iter().map(|(name, _)| *name));
        Error::input("precision", format!("`{precision}` is no precision of storage; those are {names}"))
    })
}

/// What `parameters` occupy, each stored in one element.
#[formula]
#[unit(GB)]
pub fn weight_bytes(parameters: Params, element: Bytes) -> Bytes {
    parameters / PARAM * element
}

/// The capacity that a device's label states: its binary gigabytes, read as decimal ones.
///
/// A device that is sold with 80 GB holds 80 GiB.
#[formula]
#[unit(GB)]
pub fn labelled_capacity(capacity: Bytes) -> Bytes {
    capacity / GIBIBYTE * GIGABYTE
}
