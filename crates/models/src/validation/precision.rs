//! The precisions that published tables print, as precisions of storage and of arithmetic.

use super::table::Reason;

/// A precision as it is stored, and the key of the peak at which it is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The smallest format in which numbers are stored.
    pub storage: &'static str,
    /// The key of a device's dense peak.
    pub peak: &'static str,
    /// The bytes of a stored number.
    pub bytes: f64,
}

const HALF: Precision = Precision { storage: "bf16", peak: "fp16_dense", bytes: 2.0 };
const EIGHT: Precision = Precision { storage: "fp8", peak: "fp8", bytes: 1.0 };
const FOUR: Precision = Precision { storage: "int4", peak: "fp4", bytes: 0.5 };
const INTEGER: Precision = Precision { storage: "int8", peak: "fp16_dense", bytes: 1.0 };
const SMALL_INTEGER: Precision = Precision { storage: "int4", peak: "fp16_dense", bytes: 0.5 };

impl Precision {
    /// The precision of products that are computed at this peak.
    pub fn products(&self) -> &'static str {
        match self.peak {
            "fp8" => "fp8",
            "fp4" => "nvfp4",
            _ => "bf16",
        }
    }
}

/// What `printed` means, by its first word.
///
/// Weights in integers are computed with in 16 bits, as the frameworks of these tables do.
///
/// ```
/// use mlsysim_models::validation::precision;
///
/// assert_eq!(precision::known("mxfp8")?.peak, "fp8");
/// assert_eq!(precision::known("int4 g32")?.bytes, 0.5);
/// assert!(precision::known("").is_err());
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// It is none of those that are known.
pub fn known(printed: &str) -> Result<Precision, Reason> {
    let first = printed.split([' ', '(', ',']).next().unwrap_or_default().to_ascii_lowercase();
    match first.as_str() {
        "bf16" | "fp16" | "half" | "bfloat16" | "float16" | "fp16_or_bf16" | "fp16/bf16" | "bf16/fp16" => {
            Ok(HALF)
        }
        "fp8" | "mxfp8" | "fp8_block" => Ok(EIGHT),
        "nvfp4" | "fp4" => Ok(FOUR),
        "int8" => Ok(INTEGER),
        "int4" | "mxfp4" | "q4_0" => Ok(SMALL_INTEGER),
        "" => Err("precision not published".to_string()),
        _ => Err(format!("precision `{first}` not modelled")),
    }
}
