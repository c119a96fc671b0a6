//! Common units as typed constants, to write quantities in Rust: `0.3 * MILLISECOND`.

use crate::{Bytes, Energy, FlopRate, Flops, Money, Params, Power, Quantity, Time, Tokens};

macro_rules! units {
    ($($name:ident: $dimension:ty = $base:expr, $text:literal;)*) => {
        $(
            #[doc = concat!("One ", $text, ".")]
            pub const $name: $dimension = Quantity::from_base($base);
        )*

        #[cfg(test)]
        const ALL: &[(f64, &str)] = &[$(($base, $text)),*];
    };
}

units! {
    SECOND: Time = 1.0, "s";
    MILLISECOND: Time = 1e-3, "ms";
    MICROSECOND: Time = 1e-6, "µs";
    NANOSECOND: Time = 1e-9, "ns";
    HOUR: Time = 3600.0, "h";
    DAY: Time = 86400.0, "d";
    BYTE: Bytes = 1.0, "B";
    KILOBYTE: Bytes = 1e3, "kB";
    MEGABYTE: Bytes = 1e6, "MB";
    GIGABYTE: Bytes = 1e9, "GB";
    TERABYTE: Bytes = 1e12, "TB";
    GIBIBYTE: Bytes = 1073741824.0, "GiB";
    GIGABIT: Bytes = 1.25e8, "Gbit";
    FLOP: Flops = 1.0, "flop";
    TERAFLOP: Flops = 1e12, "TFLOP";
    TERAFLOP_PER_SECOND: FlopRate = 1e12, "TFLOP/s";
    PARAM: Params = 1.0, "param";
    TOKEN: Tokens = 1.0, "token";
    DOLLAR: Money = 1.0, "USD";
    JOULE: Energy = 1.0, "J";
    WATT: Power = 1.0, "W";
}

#[cfg(test)]
mod tests {
    use crate::Unit;

    #[test]
    fn constants_agree_with_the_vocabulary() {
        for (base, text) in super::ALL {
            let unit = Unit::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(unit.to_base(1.0), *base, "{text}");
        }
    }
}
