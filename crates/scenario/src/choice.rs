//! `choices!`: inputs that are one of a few names.

use mlsysim_quantity::nearest;

use crate::datum::needs_one_of;
use crate::{Result, Value};

/// The place in `names` of the one that `value` is.
///
/// # Errors
///
/// It is none of them; the message lists them, or names the nearest.
pub fn chosen(value: &Value, names: &'static [&'static str]) -> Result<usize> {
    let found = match value {
        Value::Text(text) => names.iter().position(|name| name.eq_ignore_ascii_case(text)),
        _ => None,
    };
    found.ok_or_else(|| {
        let near = match value {
            Value::Text(text) => nearest(text, names.iter().copied()),
            _ => None,
        };
        needs_one_of(names, near, value)
    })
}

/// Declares an enumeration that is an input by the names of its variants.
///
/// ```
/// use mlsysim_scenario::{Define, Record, choices};
///
/// choices! {
///     /// What is computed again in the backward pass.
///     pub enum Again {
///         /// Nothing.
///         Nothing = "none",
///         /// Whole layers.
///         Layers = "full",
///     }
/// }
///
/// /// A step.
/// #[derive(Clone, Debug, Record)]
/// pub struct Step {
///     /// What is computed again.
///     #[default("none")]
///     pub again: Again,
/// }
///
/// assert_eq!(Step::from_inputs([("again", "full")])?.again, Again::Layers);
/// let error = Step::from_inputs([("again", "ful")]).unwrap_err();
/// assert_eq!(error.to_string(), "again: `none` or `full` is needed, but \"ful\" was given; did you mean `full`?");
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
#[macro_export]
macro_rules! choices {
    ($(#[$about:meta])* $visible:vis enum $name:ident { $($(#[$each:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $visible enum $name { $($(#[$each])* $variant),+ }

        impl $name {
            /// Every one of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// What a user calls it.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl $crate::Datum for $name {
            const TYPE: $crate::Type = $crate::Type::Text;

            fn from_value(value: $crate::Value, _field: &$crate::Field) -> $crate::Result<Self> {
                Ok(Self::ALL[$crate::chosen(&value, Self::NAMES)?])
            }

            fn to_value(&self, _unit: &$crate::Unit) -> $crate::Value {
                $crate::Value::text(self.name())
            }

            fn check(&self, _field: &$crate::Field) -> $crate::Result<()> {
                Ok(())
            }
        }
    };
}
