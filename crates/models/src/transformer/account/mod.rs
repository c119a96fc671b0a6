//! `Account`: what one rank of a layout holds, computes, moves and sends in a step, by part.

mod convention;
mod exchange;
mod pairs;
mod parameters;
mod traffic;
mod update;
mod work;

use mlsysim_quantity::{Bytes, Flops};
use mlsysim_scenario::{Error, Result};

use crate::transformer::{Division, Layer, Layout, Load, Operation, Part, PerPart, Phase, Recompute, Step};
use traffic::Traffic;
use work::Moved;

pub use convention::Convention;
pub use exchange::{Exchange, Factors, Group};
pub use pairs::{attention_pairs, cached_keys_read};
pub(crate) use work::is_latent;
pub use work::{Elements, Pass, attention_flops};

/// What one rank of a pipeline stage holds, computes, moves and sends in a step.
///
/// The ranks of a stage are alike: each has the same share of every dimension, and of the batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The stage, from 0.
    pub stage: u64,
    /// The layers of the stage.
    pub layers: u64,
    /// The parameters that the rank has of each part, before replicas share them.
    pub parameters: PerPart<u64>,
    /// Those of them that every rank of a tensor-parallel group has.
    pub undivided: PerPart<u64>,
    /// Those of them whose gradients that group adds up, since each of its ranks has used them for
    /// tokens or heads of its own.
    pub summed: PerPart<u64>,
    /// The arithmetic of a step, in each pass.
    pub flops: [PerPart<Flops>; Pass::ALL.len()],
    /// What a step moves between memory and the device, in each pass.
    pub bytes: [PerPart<Bytes>; Pass::ALL.len()],
    /// What a step cannot avoid to read from memory: weights in each pass of each micro-batch, and the
    /// cache. Activations may stay on the chip.
    pub least_read: Bytes,
    /// What the rank sends in a step.
    pub sent: Sent,
    /// The numbers that a token leaves in the rank's cache.
    pub cached_per_token: u64,
}

/// What a rank sends in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sent {
    /// By part of the model; between stages under `Other`.
    pub by_part: PerPart<Bytes>,
    /// By group.
    pub by_group: [Bytes; Group::ALL.len()],
}

impl Sent {
    fn add(&mut self, exchange: &Exchange) {
        let sent = exchange.sent();
        self.by_part[exchange.part] += sent;
        self.by_group[exchange.group as usize] += sent;
    }

    /// All that the rank sends.
    pub fn total(&self) -> Bytes {
        self.by_group.iter().fold(Bytes::ZERO, |sum, sent| sum + *sent)
    }
}

/// A step on a division: everything that the accounts of its stages share.
#[derive(Clone, Debug)]
pub struct Accounting<'a> {
    /// The layout, applied to the model.
    pub division: &'a Division<'a>,
    /// What is done.
    pub step: &'a Step,
    /// What of it reaches one rank.
    pub load: Load,
    /// How large numbers are.
    pub elements: Elements,
}

impl<'a> Accounting<'a> {
    /// Accounts for `step` on `division`.
    ///
    /// # Errors
    ///
    /// The batch or the sequence does not divide as the layout wants.
    pub fn new(division: &'a Division<'a>, step: &'a Step) -> Result<Self> {
        let load = Load::new(division, step)?;
        let elements =
            Elements { activation: step.element()?, gradient: step.gradient()?, cached: step.cached()? };
        Ok(Accounting { division, step, load, elements })
    }

    pub(crate) fn traffic(&self) -> Traffic<'_> {
        Traffic { division: self.division, step: self.step, load: &self.load, elements: &self.elements }
    }

    /// What a stage sends to its neighbours, for one micro-batch, to `visit`.
    pub fn sends(&self, stage: u64, mut visit: impl FnMut(Exchange)) {
        self.traffic().pipeline(stage, &mut visit);
    }

    /// Each kind of layer of a stage, with how many of its layers are of it.
    pub fn kinds(&self, stage: u64) -> impl Iterator<Item = (&'a Layer, u64)> {
        let division = self.division;
        let kinds = division.model.kinds().iter().zip(division.layers_of(stage));
        kinds.filter(|(_, layers)| *layers > 0)
    }

    pub(crate) fn is_first(&self, stage: u64) -> bool {
        stage == 0
    }

    pub(crate) fn is_last(&self, stage: u64) -> bool {
        stage + 1 == self.division.layout.pp
    }

    /// Whether the last stage has a copy of the table that its head shares with the embedding.
    pub(crate) fn copies_table(&self, stage: u64) -> bool {
        self.division.model.tied && self.is_last(stage) && !self.is_first(stage)
    }

    /// Every operation of a stage with how often it stands there, to `visit`.
    ///
    /// A tied head away from its table has a matrix of its own. `visit` hears too whether the
    /// operation stands in a layer, which may be computed again.
    pub fn operations(&self, stage: u64, mut visit: impl FnMut(&Operation, u64, bool)) {
        let model = self.division.model;
        if self.is_first(stage) {
            model.embedding.iter().for_each(|operation| visit(operation, 1, false));
        }
        for (layer, layers) in self.kinds(stage) {
            layer.operations().for_each(|operation| visit(operation, layers, true));
        }
        if self.is_last(stage) {
            self.head_operations().for_each(|operation| visit(&operation, 1, false));
        }
    }

    /// The operations of the head; one that is tied to a table of another stage has a copy of it.
    fn head_operations(&self) -> impl Iterator<Item = Operation> {
        let copies = self.copies_table(self.division.layout.pp - 1);
        let own =
            move |operation: &Operation| Operation { shared: operation.shared && !copies, ..*operation };
        self.division.model.head.iter().map(own)
    }

    /// Every exchange of a rank of a stage, to `visit`.
    pub fn exchanges(&self, stage: u64, account: &Account, mut visit: impl FnMut(Exchange)) {
        let traffic = self.traffic();
        let every = Factors::ONE.by("micro_batches", self.load.micro_batches as f64);
        let mut often = |times: Factors, exchange: Exchange| {
            visit(Exchange { times: times.and(exchange.times), ..exchange });
        };
        if self.is_first(stage) {
            traffic.embedding(&mut |exchange| often(every, exchange));
        }
        for (layer, layers) in self.kinds(stage) {
            for block in &layer.blocks {
                traffic.block(block, &mut |exchange| often(every.by("layers", layers as f64), exchange));
            }
        }
        if self.is_last(stage) {
            traffic.head(&mut |exchange| often(every, exchange));
        }
        traffic.pipeline(stage, &mut |exchange| often(every, exchange));
        for (part, parameters) in account.parameters.entries() {
            traffic.replicas(part, parameters, &mut |exchange| visit(exchange));
            traffic.replicated(part, account.summed[part], &mut |exchange| visit(exchange));
        }
        if self.division.layout.tp > 1 {
            for (layer, layers) in self.kinds(stage) {
                traffic.shared_heads(layer, layers, &mut |exchange| visit(exchange));
            }
        }
        if self.copies_table(stage) || self.division.model.tied && self.is_first(stage) {
            let table = self.table();
            traffic.tied(table, &mut |exchange| visit(exchange));
        }
    }

    /// What the backward pass computes again of operations in layers, or outside of them.
    fn recompute(&self, in_layer: bool) -> Recompute {
        if in_layer { self.step.recompute } else { Recompute::Nothing }
    }

    /// Whether `pass` works on `operation` at all.
    pub(crate) fn happens(&self, operation: &Operation, pass: Pass, in_layer: bool) -> bool {
        match pass {
            Pass::Forward => true,
            Pass::Backward => self.step.phase == Phase::Training,
            Pass::Recompute => operation.is_recomputed(self.recompute(in_layer)),
        }
    }

    /// The arithmetic of an operation in each pass of one micro-batch.
    pub(crate) fn flops_of(&self, operation: &Operation, in_layer: bool) -> [Flops; Pass::ALL.len()] {
        let forward = self.forward_flops_of(operation);
        self.each_pass(operation, in_layer, |pass| pass.products() * forward)
    }

    /// The arithmetic of an operation in all passes of one micro-batch.
    pub(crate) fn all_flops_of(&self, operation: &Operation, in_layer: bool) -> Flops {
        let happens = |pass: &&Pass| self.happens(operation, **pass, in_layer);
        let products: f64 = Pass::ALL.iter().filter(happens).map(|pass| pass.products()).sum();
        products * self.forward_flops_of(operation)
    }

    fn forward_flops_of(&self, operation: &Operation) -> Flops {
        operation.forward_flops(&self.division.shares, &self.load, self.step.phase)
    }

    /// What an operation moves in each pass of one micro-batch.
    pub(crate) fn bytes_of(&self, operation: &Operation, in_layer: bool) -> [Bytes; Pass::ALL.len()] {
        let moved = self.moved_by(operation);
        self.each_pass(operation, in_layer, |pass| match pass {
            Pass::Backward => moved.backward,
            _ => moved.forward,
        })
    }

    /// What a pass of one micro-batch cannot avoid to read for an operation: weights, and the cache.
    pub(crate) fn read_by(&self, operation: &Operation) -> [Bytes; 2] {
        operation.least_read(&self.division.shares, &self.load, &self.elements)
    }

    fn moved_by(&self, operation: &Operation) -> Moved {
        operation.moved(&self.division.shares, &self.load, self.step.phase, &self.elements)
    }

    /// A value for each pass that works on `operation`, zero for the others.
    fn each_pass<T: Default>(
        &self,
        operation: &Operation,
        in_layer: bool,
        value: impl Fn(Pass) -> T,
    ) -> [T; Pass::ALL.len()] {
        [Pass::Forward, Pass::Backward, Pass::Recompute].map(|pass| {
            match self.happens(operation, pass, in_layer) {
                true => value(pass),
                false => T::default(),
            }
        })
    }

    /// Whether the ranks of a tensor-parallel group add up the gradients of what each of them has
    /// whole of `operation`.
    ///
    /// With sequence parallelism each has other tokens. Without it all have the same gradients,
    /// except within attention, where each has those of its own heads; an output's bias is behind
    /// their sum.
    pub(crate) fn adds_gradients(&self, operation: &Operation) -> bool {
        self.division.layout.sp || operation.part == Part::Attention && operation.is_undivided()
    }

    /// The parameters of the table of tokens on one rank.
    pub(crate) fn table(&self) -> u64 {
        let tables = self.division.model.embedding.iter().filter(|operation| operation.name == "tokens");
        tables.map(|operation| operation.parameters(&self.division.shares)).sum()
    }

    /// What a rank of `stage` (from 0) holds, computes, moves and sends.
    ///
    /// # Errors
    ///
    /// There is no such stage.
    pub fn account(&self, stage: u64) -> Result<Account> {
        let &Layout { pp, tp, .. } = self.division.layout;
        if stage >= pp {
            return Err(Error::input(
                "stage",
                format!("there are stages 0 to {}, but `{stage}` was given", pp - 1),
            ));
        }
        let shares = &self.division.shares;
        let mut account = Account {
            stage,
            layers: self.kinds(stage).map(|(_, layers)| layers).sum(),
            parameters: PerPart::default(),
            undivided: PerPart::default(),
            summed: PerPart::default(),
            flops: [PerPart::default(); 3],
            bytes: [PerPart::default(); 3],
            least_read: Bytes::ZERO,
            sent: Sent::default(),
            cached_per_token: 0,
        };
        let every = self.load.micro_batches as f64;
        let reading = self.reading_passes();
        self.operations(stage, |operation, layers, in_layer| {
            let parameters = layers * operation.parameters(shares);
            account.parameters[operation.part] += parameters;
            if tp > 1 {
                let undivided = layers * operation.undivided_parameters(shares);
                account.undivided[operation.part] += undivided;
                if self.adds_gradients(operation) {
                    account.summed[operation.part] += undivided;
                }
            }
            account.cached_per_token += layers * operation.cached(shares);
            let times = layers as f64 * every;
            let flops = times * self.forward_flops_of(operation);
            let moved = self.moved_by(operation);
            account.least_read += times * (reading * moved.weights + moved.cache);
            for &pass in Pass::ALL {
                if self.happens(operation, pass, in_layer) {
                    let bytes = if pass == Pass::Backward { moved.backward } else { moved.forward };
                    account.flops[pass as usize][operation.part] += pass.products() * flops;
                    account.bytes[pass as usize][operation.part] += times * bytes;
                }
            }
        });
        let mut sent = Sent::default();
        self.exchanges(stage, &account, |exchange| sent.add(&exchange));
        account.sent = sent;
        Ok(account)
    }
}

impl Account {
    /// All parameters that the rank has.
    pub fn total_parameters(&self) -> u64 {
        self.parameters.values().sum()
    }

    /// The arithmetic of a step in `pass`.
    pub fn pass_flops(&self, pass: Pass) -> Flops {
        self.flops[pass as usize].values().fold(Flops::ZERO, |sum, flops| sum + flops)
    }

    /// The arithmetic of a step in all passes.
    pub fn total_flops(&self) -> Flops {
        Pass::ALL.iter().fold(Flops::ZERO, |sum, pass| sum + self.pass_flops(*pass))
    }

    /// What a step moves in `pass`.
    pub fn pass_bytes(&self, pass: Pass) -> Bytes {
        self.bytes[pass as usize].values().fold(Bytes::ZERO, |sum, bytes| sum + bytes)
    }
}
