//! Pictures of answers, as SVG.
//!
//! * [`plot::Scatter`]: what is predicted against what was measured;
//! * [`plot::Stack`]: what times or sizes are made of, side by side, with intervals;
//! * [`plot::Timeline`]: who works when.
//!
//! Pictures use the eight colours of Okabe and Ito (2008, *Color Universal Design*), which the
//! colour-blind tell apart and which keep different greys in print. Nothing here writes a file.

pub mod plot;
