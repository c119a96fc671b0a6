//! `Coefficients`: the fitted numbers of a model, each with its name, its unit and its meaning.

/// What a coefficient is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficient {
    /// Its name.
    pub name: &'static str,
    /// Its unit, empty for a plain number.
    pub unit: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// Where a fit starts from.
    pub start: f64,
}

/// The coefficients of a model, all of them positive.
pub trait Coefficients: Copy {
    /// What they are, in the order of their values.
    const ALL: &'static [Coefficient];

    /// The file that holds them.
    const FILE: &'static str;

    /// The coefficients of these values, in that order; one that is missing is that of the start.
    fn of(values: &[f64]) -> Self;

    /// Their values.
    fn values(&self) -> Vec<f64>;
}

/// Declares a struct of coefficients.
macro_rules! coefficients {
    (
        $(#[$outer:meta])*
        pub struct $name:ident $(in $file:literal)? {
            $( #[doc = $meaning:literal] $field:ident: $unit:literal = $start:literal, )*
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name {
            $( #[doc = $meaning] pub $field: f64, )*
        }

        impl $crate::predict::Coefficients for $name {
            const ALL: &'static [$crate::predict::Coefficient] = &[
                $( $crate::predict::Coefficient {
                    name: stringify!($field),
                    unit: $unit,
                    meaning: $meaning.trim_ascii(),
                    start: $start,
                }, )*
            ];

            const FILE: &'static str = concat!("data/calibration", $( "/", $file, ".toml" )?);

            fn of(values: &[f64]) -> Self {
                let mut values = values.iter().copied();
                $name { $( $field: values.next().unwrap_or($start), )* }
            }

            fn values(&self) -> Vec<f64> {
                vec![$( self.$field, )*]
            }
        }
    };
}

pub(crate) use coefficients;
