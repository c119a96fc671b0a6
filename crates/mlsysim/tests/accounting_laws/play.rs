//! A play of the messages of a collective, to count who sends what.

use mlsysim::transformer::Collective;

/// What each rank of a group sends and receives, in parts of a payload of as many parts as ranks.
pub struct Play {
    pub sent: Vec<u64>,
    pub received: Vec<u64>,
}

impl Play {
    /// Plays the messages of `collective`, and fails unless each rank ends with what it should.
    pub fn of(collective: Collective, ranks: usize) -> Play {
        let mut play = Play { sent: vec![0; ranks], received: vec![0; ranks] };
        match collective {
            Collective::AllReduce => {
                let mut parts = unlike(ranks);
                play.reduce_scatter(&mut parts);
                play.all_gather(&mut parts);
                assert!(parts.iter().all(|own| *own == sums(ranks)));
            }
            Collective::ReduceScatter => {
                let mut parts = unlike(ranks);
                play.reduce_scatter(&mut parts);
                for (rank, own) in parts.iter().enumerate() {
                    assert_eq!(own[(rank + 1) % ranks], sums(ranks)[(rank + 1) % ranks]);
                }
            }
            Collective::AllGather => {
                // Rank r has part r + 1 of what is gathered, as a scatter leaves it.
                let whole = sums(ranks);
                let own = |rank: usize| -> Vec<u64> {
                    (0..ranks).map(|part| if part == (rank + 1) % ranks { whole[part] } else { 0 }).collect()
                };
                let mut parts: Vec<_> = (0..ranks).map(own).collect();
                play.all_gather(&mut parts);
                assert!(parts.iter().all(|own| *own == whole));
            }
            Collective::AllToAll => {
                for from in 0..ranks {
                    for to in (0..ranks).filter(|to| *to != from) {
                        play.send(from, to);
                    }
                }
            }
            Collective::Broadcast => {
                for from in 0..ranks - 1 {
                    (0..ranks).for_each(|_| play.send(from, from + 1));
                }
            }
            Collective::SendReceive => {
                for from in 0..ranks {
                    (0..ranks).for_each(|_| play.send(from, (from + 1) % ranks));
                }
            }
        }
        play
    }

    fn send(&mut self, from: usize, to: usize) {
        self.sent[from] += 1;
        self.received[to] += 1;
    }

    /// In each of `n - 1` rounds every rank sends a part to the next, which adds it to its own.
    fn reduce_scatter(&mut self, parts: &mut [Vec<u64>]) {
        let ranks = parts.len();
        for round in 0..ranks - 1 {
            let before = parts.to_vec();
            for (from, own) in before.iter().enumerate() {
                let (to, part) = ((from + 1) % ranks, (from + ranks - round) % ranks);
                parts[to][part] += own[part];
                self.send(from, to);
            }
        }
    }

    /// The same, where the next takes the part over.
    fn all_gather(&mut self, parts: &mut [Vec<u64>]) {
        let ranks = parts.len();
        for round in 0..ranks - 1 {
            let before = parts.to_vec();
            for (from, own) in before.iter().enumerate() {
                let (to, part) = ((from + 1) % ranks, (from + 1 + ranks - round) % ranks);
                parts[to][part] = own[part];
                self.send(from, to);
            }
        }
    }
}

/// Parts that tell who had them.
fn unlike(ranks: usize) -> Vec<Vec<u64>> {
    (0..ranks).map(|rank| (0..ranks).map(|part| (100 * rank + part + 1) as u64).collect()).collect()
}

fn sums(ranks: usize) -> Vec<u64> {
    let parts = unlike(ranks);
    (0..ranks).map(|part| parts.iter().map(|own| own[part]).sum()).collect()
}
