//! Every algorithm of a collective, played message by message: each rank ends with what it should,
//! what is sent is received, and steps and bytes are those that the algorithm's plan tells.
#![allow(clippy::unwrap_used)]

use std::ops::Range;

use mlsysim::machine::{Algorithm, Collective};
use mlsysim::quantity::Bytes;

/// A group of ranks with what each of them has, in equal pieces, and what it has sent.
struct Group {
    pieces: usize,
    held: Vec<Vec<u64>>,
    sent: Vec<usize>,
    received: Vec<usize>,
    steps: u64,
}

/// From one rank to another: some pieces, added to what is there or put in its place.
struct Message {
    from: usize,
    to: usize,
    pieces: Range<usize>,
    adds: bool,
}

impl Group {
    /// Ranks that have different numbers, in pieces that ranks, halves and powers of two divide.
    fn new(ranks: usize) -> Self {
        let pieces = 2 * ranks * (1 << ranks.ilog2());
        let own = |rank: usize| (0..pieces).map(|piece| ((rank + 1) * (piece + 3)) as u64).collect();
        Group {
            pieces,
            held: (0..ranks).map(own).collect(),
            sent: vec![0; ranks],
            received: vec![0; ranks],
            steps: 0,
        }
    }

    fn ranks(&self) -> usize {
        self.held.len()
    }

    /// The pieces of part `index` of `parts`.
    fn part(&self, index: usize, parts: usize) -> Range<usize> {
        self.pieces / parts * index..self.pieces / parts * (index + 1)
    }

    /// The sum over all ranks, as they are before anything is sent.
    fn sum(&self) -> Vec<u64> {
        (0..self.pieces).map(|piece| self.held.iter().map(|own| own[piece]).sum()).collect()
    }

    /// All messages of one step, each with what its sender had before.
    fn step(&mut self, messages: impl IntoIterator<Item = Message>) {
        let before = self.held.clone();
        for Message { from, to, pieces, adds } in messages {
            self.sent[from] += pieces.len();
            self.received[to] += pieces.len();
            for piece in pieces {
                let kept = if adds { self.held[to][piece] } else { 0 };
                self.held[to][piece] = kept + before[from][piece];
            }
        }
        self.steps += 1;
    }

    /// Each of `rounds` rounds, a rank sends the next the part that `part` says.
    fn ring(&mut self, rounds: usize, part: impl Fn(usize, usize) -> usize, adds: bool) {
        let ranks = self.ranks();
        for round in 0..rounds {
            let message = |from: usize| {
                let pieces = self.part((part(from, round)) % ranks, ranks);
                Message { from, to: (from + 1) % ranks, pieces, adds }
            };
            let messages: Vec<_> = (0..ranks).map(message).collect();
            self.step(messages);
        }
    }

    /// Every rank sends every other what `part` says of the two.
    fn each_to_each(&mut self, part: impl Fn(usize, usize) -> Range<usize>, adds: bool) {
        let ranks = self.ranks();
        let pairs = (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to)));
        let messages = pairs.filter(|(from, to)| from != to);
        self.step(messages.map(|(from, to)| Message { from, to, pieces: part(from, to), adds }));
    }

    /// Up a tree whose rank `r` has `2r + 1` and `2r + 2` below it, and down again; `name` says which
    /// rank stands where.
    fn tree(&mut self, pieces: Range<usize>, name: impl Fn(usize) -> usize, up: bool) {
        let ranks = self.ranks();
        let depth = |place: usize| (place + 1).ilog2();
        let levels: Vec<u32> = (1..=ranks.ilog2()).collect();
        let order: Vec<u32> = if up { levels.into_iter().rev().collect() } else { levels };
        for level in order {
            let links = (1..ranks).filter(|place| depth(*place) == level).map(|place| {
                let (below, above) = (name(place), name((place - 1) / 2));
                let (from, to) = if up { (below, above) } else { (above, below) };
                Message { from, to, pieces: pieces.clone(), adds: up }
            });
            self.step(links.collect::<Vec<_>>());
        }
    }

    /// Ranks beyond a power of two give what they have to one each, and `work` is done by the others.
    fn folded(&mut self, work: impl Fn(&mut Self, usize)) {
        let (ranks, largest) = (self.ranks(), 1 << self.ranks().ilog2());
        let all = 0..self.pieces;
        let link = |extra: usize| (extra, extra - largest);
        if ranks > largest {
            let fold = (largest..ranks).map(link);
            self.step(fold.map(|(from, to)| Message { from, to, pieces: all.clone(), adds: true }));
        }
        work(self, largest);
        if ranks > largest {
            let back = (largest..ranks).map(link);
            self.step(back.map(|(to, from)| Message { from, to, pieces: all.clone(), adds: false }));
        }
    }

    /// Pairs at half, a quarter, … of `largest` exchange halves of what they still share, and then
    /// gather them the other way round.
    fn halving(&mut self, largest: usize) {
        let mut shares: Vec<Range<usize>> = vec![0..self.pieces; largest];
        let mut distances = Vec::new();
        let mut distance = largest / 2;
        while distance >= 1 {
            let half = |rank: usize, share: &Range<usize>| {
                let middle = share.start + share.len() / 2;
                if rank & distance == 0 { share.start..middle } else { middle..share.end }
            };
            let own: Vec<_> = shares.iter().enumerate().map(|(rank, share)| half(rank, share)).collect();
            self.step((0..largest).map(|from| {
                let to = from ^ distance;
                Message { from, to, pieces: own[to].clone(), adds: true }
            }));
            shares = own;
            distances.push(distance);
            distance /= 2;
        }
        for distance in distances.into_iter().rev() {
            self.step((0..largest).map(|from| Message {
                from,
                to: from ^ distance,
                pieces: shares[from].clone(),
                adds: false,
            }));
            shares = (0..largest)
                .map(|rank| {
                    let (one, other) = (&shares[rank], &shares[rank ^ distance]);
                    one.start.min(other.start)..one.end.max(other.end)
                })
                .collect();
        }
    }

    /// Fails unless steps and bytes are those of the plan, and what was sent was received.
    fn is_as_planned(&self, algorithm: Algorithm, collective: Collective) {
        let ranks = self.ranks() as u64;
        let plan = algorithm.plan(collective, ranks, Bytes::from_base(self.pieces as f64)).unwrap();
        let about = format!("{} by {}, {ranks} ranks", collective.name(), algorithm.name());
        assert_eq!(self.steps, plan.steps, "steps of {about}");
        let most = *self.sent.iter().max().unwrap() as f64;
        assert!((most - plan.sent.base()).abs() < 1e-9 * plan.sent.base(), "{most} {plan:?}: {about}");
        assert_eq!(self.sent.iter().sum::<usize>(), self.received.iter().sum::<usize>(), "{about}");
        assert!(collective.least_share(ranks, false) * self.pieces as f64 <= most + 1e-9, "{about}");
    }
}

/// The AllReduce of each algorithm that ranks do themselves.
fn all_reduce(algorithm: Algorithm, ranks: usize) -> Group {
    let mut group = Group::new(ranks);
    let all = 0..group.pieces;
    match algorithm {
        Algorithm::Ring => {
            group.ring(ranks - 1, |rank, round| rank + ranks - round, true);
            group.ring(ranks - 1, |rank, round| rank + 1 + ranks - round, false);
        }
        Algorithm::Tree => {
            group.tree(all.clone(), |place| place, true);
            group.tree(all, |place| place, false);
        }
        Algorithm::DoubleTree => {
            // Both trees work in the same steps.
            let [first, second] = [group.part(0, 2), group.part(1, 2)];
            for up in [true, false] {
                let steps = group.steps;
                group.tree(first.clone(), |place| place, up);
                group.steps = steps;
                group.tree(second.clone(), |place| ranks - 1 - place, up);
            }
        }
        Algorithm::RecursiveHalving => group.folded(Group::halving),
        Algorithm::RecursiveDoubling => group.folded(|group, largest| {
            let mut distance = 1;
            while distance < largest {
                let all = 0..group.pieces;
                let message = |from| Message { from, to: from ^ distance, pieces: all.clone(), adds: true };
                group.step((0..largest).map(message));
                distance *= 2;
            }
        }),
        Algorithm::OneShot => group.each_to_each(|_, _| all.clone(), true),
        Algorithm::TwoShot => {
            let parts: Vec<_> = (0..ranks).map(|rank| group.part(rank, ranks)).collect();
            group.each_to_each(|_, to| parts[to].clone(), true);
            group.each_to_each(|from, _| parts[from].clone(), false);
        }
        Algorithm::InSwitch => unreachable!("a switch is no rank"),
    }
    group
}

#[test]
fn every_all_reduce_sums_and_sends_what_its_plan_tells() {
    for ranks in 2..=33 {
        let sum = Group::new(ranks).sum();
        for algorithm in Algorithm::ALL.iter().filter(|algorithm| **algorithm != Algorithm::InSwitch) {
            let group = all_reduce(*algorithm, ranks);
            assert!(group.held.iter().all(|own| *own == sum), "{}, {ranks} ranks", algorithm.name());
            group.is_as_planned(*algorithm, Collective::AllReduce);
        }
    }
}

#[test]
fn every_half_of_one_sends_what_its_plan_tells() {
    for ranks in 2..=33 {
        let sum = Group::new(ranks).sum();
        let mut scatter = Group::new(ranks);
        scatter.ring(ranks - 1, |rank, round| rank + ranks - round, true);
        for rank in 0..ranks {
            let own = scatter.part((rank + 1) % ranks, ranks);
            assert_eq!(scatter.held[rank][own.clone()], sum[own]);
        }
        scatter.is_as_planned(Algorithm::Ring, Collective::ReduceScatter);

        let mut gather = Group::new(ranks);
        let parts: Vec<_> = (0..ranks).map(|rank| gather.part(rank, ranks)).collect();
        let gathered: Vec<u64> =
            (0..ranks).flat_map(|rank| gather.held[rank][parts[rank].clone()].to_vec()).collect();
        gather.each_to_each(|from, _| parts[from].clone(), false);
        assert!(gather.held.iter().all(|own| *own == gathered));
        gather.is_as_planned(Algorithm::OneShot, Collective::AllGather);

        let mut each = Group::new(ranks);
        each.each_to_each(|_, to| parts[to].clone(), false);
        each.is_as_planned(Algorithm::OneShot, Collective::AllToAll);
    }
}

#[test]
fn every_broadcast_ends_with_what_the_first_had() {
    for ranks in 2..=33 {
        let all = 0..Group::new(ranks).pieces;
        let check = |algorithm: Algorithm, play: &dyn Fn(&mut Group)| {
            let mut group = Group::new(ranks);
            let first = group.held[0].clone();
            play(&mut group);
            assert!(group.held.iter().all(|own| *own == first), "{}, {ranks} ranks", algorithm.name());
            group.is_as_planned(algorithm, Collective::Broadcast);
        };
        check(Algorithm::Ring, &|group| {
            for from in 0..ranks - 1 {
                group.step([Message { from, to: from + 1, pieces: all.clone(), adds: false }]);
            }
        });
        check(Algorithm::Tree, &|group| group.tree(all.clone(), |place| place, false));
        check(Algorithm::OneShot, &|group| {
            let to_each = (1..ranks).map(|to| Message { from: 0, to, pieces: all.clone(), adds: false });
            group.step(to_each);
        });
        check(Algorithm::TwoShot, &|group| {
            let parts: Vec<_> = (0..ranks).map(|rank| group.part(rank, ranks)).collect();
            let scatter =
                (1..ranks).map(|to| Message { from: 0, to, pieces: parts[to].clone(), adds: false });
            group.step(scatter);
            group.each_to_each(|from, _| parts[from].clone(), false);
        });
    }
}
