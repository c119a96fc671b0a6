//! `AllToAllDispatchModel`: the exchange that brings tokens to their experts.

use mlsysim_quantity::{Bandwidth, Bytes, Time};
use mlsysim_scenario::{Error, Result, Solver, equations};

/// One dispatch of a mixture of experts whose experts are spread over devices: each device sends
/// an equal share of its tokens to every other one.
///
/// Uniform routing is an average, and the shares here are averages too: 100 tokens on 8 devices
/// are 12.5 on each, and none of them is lost. A device sends to all others through one port and
/// receives through one, so that neither takes less than the bytes over the port's bandwidth. A
/// device whose experts are asked for `receive_skew` times more receives that much longer, and
/// every other device waits for what it computes.
///
/// Source: the α–β model of Hockney (1994), Parallel Computing 20, 389-398; the dispatch is that of
/// Lepikhin et al. (2020), GShard, arXiv:2006.16668.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = AllToAllDispatchResult)]
pub struct AllToAllDispatchModel {
    /// How many copies of tokens are dispatched in all, each to one expert.
    #[range(>= 1)]
    pub total_tokens: u64,
    /// How many devices share tokens and experts.
    #[range(>= 1)]
    pub n_devices: u64,
    /// How many experts there are in all.
    #[range(>= 1)]
    pub n_experts: u64,
    /// How many values a token has.
    #[range(>= 1)]
    pub hidden_dim: u64,
    /// The size of one value.
    #[range(> 0)]
    #[unit(B)]
    pub bytes_per_element: Bytes,
    /// The startup of the exchange.
    #[range(>= 0)]
    #[unit("µs")]
    pub alpha: Time,
    /// The bandwidth of a device's port in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub bandwidth: Bandwidth,
    /// What the busiest device receives, as a multiple of what each would receive of an even load.
    #[range(>= 1)]
    #[default(1.0)]
    pub receive_skew: f64,
}

#[equations(result = AllToAllDispatchResult)]
impl AllToAllDispatchModel {
    /// The tokens that a device holds before the dispatch, on average.
    pub fn tokens_per_device(&self) -> f64 {
        self.total_tokens as f64 / self.n_devices as f64
    }

    /// The experts that a device holds, on average.
    pub fn experts_per_device(&self) -> f64 {
        self.n_experts as f64 / self.n_devices as f64
    }

    /// The tokens that an expert gets, on average.
    pub fn tokens_per_expert(&self) -> f64 {
        self.total_tokens as f64 / self.n_experts as f64
    }

    /// The tokens that one device sends to one other, on average.
    pub fn tokens_per_pair(&self) -> f64 {
        self.tokens_per_device() / self.n_devices as f64
    }

    /// How many devices a device sends to, itself not counted.
    pub fn remote_peers(&self) -> u64 {
        self.n_devices.saturating_sub(1)
    }

    /// The size of one token.
    #[unit(B)]
    pub fn bytes_per_token(&self) -> Bytes {
        self.hidden_dim * self.bytes_per_element
    }

    /// What one device sends to one other.
    #[unit(B)]
    pub fn pair_bytes(&self) -> Bytes {
        self.tokens_per_pair() * self.bytes_per_token()
    }

    /// What one device sends to all others.
    #[unit(B)]
    pub fn sent_bytes(&self) -> Bytes {
        self.remote_peers() * self.pair_bytes()
    }

    /// The least time in which a device sends what it has for the others through its one port.
    #[unit("µs")]
    #[kind(bound)]
    pub fn injection_bound(&self) -> Time {
        if self.n_devices > 1 { self.alpha + self.sent_bytes() / self.bandwidth } else { Time::ZERO }
    }

    /// The tokens that a device receives from all others under an even load.
    pub fn uniform_remote_tokens(&self) -> f64 {
        self.remote_peers() as f64 * self.tokens_per_pair()
    }

    /// The tokens that the busiest device receives from all others.
    pub fn hot_remote_tokens(&self) -> f64 {
        self.receive_skew * self.uniform_remote_tokens()
    }

    /// What a device receives under an even load.
    #[unit(B)]
    pub fn uniform_receive_bytes(&self) -> Bytes {
        self.uniform_remote_tokens() * self.bytes_per_token()
    }

    /// What the busiest device receives.
    #[unit(B)]
    pub fn hot_receive_bytes(&self) -> Bytes {
        self.hot_remote_tokens() * self.bytes_per_token()
    }

    /// The least time in which a device receives an even load through its one port.
    #[unit("µs")]
    #[kind(bound)]
    pub fn uniform_receive_bound(&self) -> Time {
        self.uniform_receive_bytes() / self.bandwidth
    }

    /// The least time in which the busiest device receives what comes to it.
    #[unit("µs")]
    #[kind(bound)]
    pub fn hot_receive_bound(&self) -> Time {
        self.hot_receive_bytes() / self.bandwidth
    }

    /// No device receives more than the others have.
    #[check]
    fn skew_is_possible(&self) -> Result<()> {
        if self.n_devices > 1 && self.receive_skew > self.n_devices as f64 {
            return Err(Error::input(
                "receive_skew",
                format!(
                    "it can be {} at most, where one of {} devices receives every token of the others, but `{}` was given",
                    self.n_devices, self.n_devices, self.receive_skew
                ),
            ));
        }
        Ok(())
    }

    /// A group of one has nobody to exchange with.
    #[note(sent_bytes, injection_bound, uniform_receive_bound, hot_receive_bound)]
    fn lonely(&self) -> Option<String> {
        (self.n_devices == 1).then(|| "a group of one device exchanges nothing".to_string())
    }

    /// Shares that are no whole tokens are averages.
    #[note(tokens_per_device, tokens_per_expert, tokens_per_pair, experts_per_device)]
    fn averages(&self) -> Option<String> {
        let shares = [
            self.tokens_per_pair(),
            self.tokens_per_device(),
            self.tokens_per_expert(),
            self.experts_per_device(),
        ];
        shares.iter().any(|share| share.fract() != 0.0).then(|| {
            format!(
                "{} tokens and {} experts do not divide evenly among {} devices: the shares are averages",
                self.total_tokens, self.n_experts, self.n_devices
            )
        })
    }
}
