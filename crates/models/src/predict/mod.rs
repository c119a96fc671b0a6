//! Predicted times of kernels and collectives, each with a band and never below its bound.
//!
//! * `prediction`: a [`Prediction`] is a time, the band that nine measurements in ten lie in, and why
//!   the band is as wide as it is;
//! * `product`, `attention` and `collective` are the [`Question`]s: what is priced, on what;
//! * `class` sorts devices and links into the few classes that coefficients are shared by;
//! * `coefficient` names the coefficients, `calibration` holds them with their errors, the folds
//!   that they were validated on and the bands; `file` reads and writes that;
//! * `forecast` is a step of a layout on a machine, with what follows from its time;
//! * `speed_up` holds how far predicted speed-ups are off;
//! * `degrees` predicts a step at each degree of tensor parallelism, and says what the split loses;
//! * `twin` predicts the times that a scenario states;
//! * `explain` derives a prediction down to its coefficients;
//! * `fit` and `calibrate` find them from measured times, `refine` from a few on top of those that there are.
//!
//! Coefficients are global: they depend on the precision, the family of devices, the class of links
//! and the library, never on a model or a device.

mod attention;
mod band;
mod calibrate;
mod calibration;
mod class;
mod coefficient;
mod collective;
mod collective_coefficients;
mod degrees;
mod explain;
mod file;
mod fit;
mod forecast;
mod prediction;
mod product;
mod refine;
mod speed_up;
mod step;
mod twin;

pub use attention::{AttentionCoefficients, AttentionQuestion, AttentionRates};
pub use band::{Band, Bands};
pub use calibrate::{Sample, calibrate, refit};
pub use calibration::{Calibration, CalibrationSet, Calibrations, Estimate, Fold, StepCalibrations};
pub use calibration::{shipped, shipped_steps};
pub use class::{DeviceFamily, LinkClass, ProductPrecision};
pub use coefficient::{Coefficient, Coefficients};
pub use collective::CollectiveQuestion;
pub use collective_coefficients::{CollectiveCoefficients, CollectiveLibrary};
pub use degrees::{Degree, Degrees, Split, Stop};
pub use forecast::{Forecast, INTERVAL, SETTINGS, Terms, utilization};
pub use prediction::{Beyond, Prediction, Question};
pub use product::{ProductCoefficients, ProductQuestion, ProductRates};
pub use refine::{Refined, refine};
pub use speed_up::{Ratio, SpeedUps};
pub(crate) use speed_up::{SERVING, TRAINING};
pub use step::*;
pub use twin::{Asked, Implied, PredictedDegree, StatedDegree, StatedDegrees, Twin, TwinInput, TwinOutput};
