//! The table of named dimensions: each stated once, closed under `×` and `÷` by the macro.
//!
//! Bytes, FLOPs, parameters, tokens and money are base dimensions of their own, so that a token
//! never adds to a dollar. Requests and plain counts are numbers.

use mlsysim_macros::dimensions;

dimensions! {
    Time = base, "s", "a duration";
    Bytes = base, "B", "an amount of data";
    Flops = base, "flop", "an amount of floating-point work";
    Params = base, "param", "a number of parameters";
    Tokens = base, "token", "a number of tokens";
    Money = base, "USD", "an amount of money";
    Length = base, "m", "a length";
    Mass = base, "kg", "a mass";
    Temperature = base, "K", "a temperature";
    Current = base, "A", "an electric current";

    Frequency = 1 / Time, "1/s", "events in a unit of time";
    Bandwidth = Bytes / Time | Bytes * Frequency, "B/s", "data moved in a unit of time";
    Occupancy = Bytes * Time, "B·s", "memory that is held for a while";
    FlopRate = Flops / Time | Flops * Frequency, "flop/s", "work done in a unit of time";
    TokenRate = Tokens / Time, "token/s", "tokens handled in a unit of time";

    Intensity = Flops / Bytes | FlopRate / Bandwidth, "flop/B", "work done for each byte moved";
    BytesPerFlop = Bytes / Flops | Bandwidth / FlopRate, "B/flop", "data moved for each unit of work";
    BytesPerParam = Bytes / Params, "B/param", "the size of a parameter";
    BytesPerToken = Bytes / Tokens, "B/token", "data held or moved for each token";
    FlopsPerParam = Flops / Params, "flop/param", "work done for each parameter";
    FlopsPerToken = Flops / Tokens, "flop/token", "work done for each token";
    TimePerToken = Time / Tokens, "s/token", "time spent on each token";

    Area = Length * Length, "m²", "an area";
    Speed = Length / Time, "m/s", "a speed";
    Energy = Mass * Speed * Speed, "J", "an amount of energy";
    Power = Energy / Time, "W", "energy used in a unit of time";
    Voltage = Power / Current, "V", "an electric potential";
    EnergyPerFlop = Energy / Flops | Power / FlopRate, "J/flop", "energy for each operation";
    EnergyPerByte = Energy / Bytes | Power / Bandwidth, "J/B", "energy for each byte moved";
    EnergyPerToken = Energy / Tokens, "J/token", "energy for each token";
    FlopsPerEnergy = Flops / Energy | FlopRate / Power, "flop/J", "work done for each joule";

    Price = Money / Time, "USD/s", "money paid in a unit of time";
    MoneyPerByte = Money / Bytes, "USD/B", "money paid for each byte";
    MoneyPerToken = Money / Tokens, "USD/token", "money paid for each token";
    MoneyPerEnergy = Money / Energy | Price / Power, "USD/J", "money paid for each joule";
    CarbonIntensity = Mass / Energy, "kg/J", "carbon dioxide emitted for each joule";
}

#[cfg(test)]
mod tests {
    use super::dimension;
    use crate::Unit;

    #[test]
    fn coherent_units_have_their_dimension_and_factor_one() {
        for row in dimension::ALL {
            let unit = Unit::parse(row.unit).unwrap_or_else(|error| panic!("{}: {error}", row.name));
            assert_eq!(unit.dimension(), row.exponents, "{}", row.name);
            assert_eq!(unit.to_base(1.0), 1.0, "{}", row.name);
        }
    }
}
