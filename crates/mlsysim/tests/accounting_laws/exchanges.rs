//! Exchanges: what ranks send is what a play of the messages sends, and adds up between layouts.

use mlsysim::Define;
use mlsysim::transformer::{
    Accounting, Collective, ContextExchange, Exchange, Group, Layout, Part, Pass, Step,
};
use proptest::prelude::*;

use crate::ROUNDING;
use crate::cases::{Case, Cut, Sizes, cases, dense_cases};
use crate::common::near;
use crate::play::Play;

/// What a rank of each stage sends of the exchanges that are `counted`, all stages together.
fn sent(case: &Case, counted: impl Fn(&Exchange) -> bool) -> f64 {
    case.accounts(|accounting, accounts| {
        let exchanges = accounts.iter().flat_map(|account| accounting.merged_exchanges(account));
        exchanges.filter(|exchange| counted(exchange)).map(|exchange| exchange.sent().base()).sum()
    })
}

fn with(case: &Case, change: impl FnOnce(&mut Layout, &mut Step)) -> Case {
    let mut changed = case.clone();
    change(&mut changed.layout, &mut changed.step);
    let Case { sizes, layout, step } = changed;
    Case { sizes, layout: layout.checked().unwrap(), step: step.checked().unwrap() }
}

/// What a rank holds of the parameters that all replicas have, all stages together.
fn held(case: &Case) -> f64 {
    case.accounts(|_, accounts| accounts.iter().map(|account| account.total_parameters() as f64).sum())
}

/// The bytes of the tokens of a step of one replica, of the width of the activations.
fn activations(case: &Case) -> f64 {
    let Case { sizes, layout, step } = case;
    (step.batch / layout.dp * step.sequence / layout.cp) as f64 * f64::from(sizes.hidden) * 2.0
}

fn every(accounting: &Accounting, collective: Collective, ranks: u64) -> Vec<Exchange> {
    let mut exchanges = Vec::new();
    for stage in 0..accounting.division.layout.pp {
        let account = accounting.account(stage).unwrap();
        let own = accounting.merged_exchanges(&account).into_iter();
        exchanges.extend(own.filter(|exchange| exchange.collective == collective && exchange.ranks <= ranks));
    }
    exchanges
}

proptest! {
    /// Each rank of a group sends what a play of the messages has it send, and all receive what all
    /// send.
    #[test]
    fn ranks_send_what_is_played(case in cases()) {
        case.accounts(|accounting, _| {
            for collective in Collective::ALL {
                for exchange in every(accounting, *collective, 32) {
                    let play = Play::of(*collective, exchange.ranks as usize);
                    prop_assert_eq!(play.sent.iter().sum::<u64>(), play.received.iter().sum::<u64>());
                    let part = exchange.payload_bytes().base() / exchange.ranks as f64;
                    for sent in &play.sent {
                        prop_assert!(near(exchange.sent_once().base(), *sent as f64 * part, ROUNDING), "{}", exchange.what);
                    }
                }
            }
            Ok(())
        })?;
    }

    /// An AllReduce sends what a ReduceScatter and an AllGather of the same payload send.
    #[test]
    fn an_all_reduce_has_two_halves(case in cases()) {
        case.accounts(|accounting, _| {
            for exchange in every(accounting, Collective::AllReduce, u64::MAX) {
                let half = |collective| Exchange { collective, ..exchange }.sent().base();
                let halves = half(Collective::ReduceScatter) + half(Collective::AllGather);
                prop_assert!(near(exchange.sent().base(), halves, ROUNDING));
            }
            Ok(())
        })?;
    }

    /// A group of one exchanges nothing at all.
    #[test]
    fn a_group_of_one_is_silent(case in cases()) {
        let layout = &case.layout;
        let Layout { tp, pp, dp, ep, cp, .. } = *layout;
        let etp = layout.etp.unwrap_or(tp);
        let ranks = [
            (Group::Tensor, tp), (Group::Context, cp), (Group::Expert, ep), (Group::ExpertTensor, etp),
            (Group::Pipeline, pp), (Group::Data, dp * cp), (Group::ExpertData, tp * dp * cp / (ep * etp)),
        ];
        case.accounts(|_, accounts| {
            for account in accounts {
                for (group, ranks) in ranks {
                    let sent = account.sent.by_group[group as usize].base();
                    prop_assert!(sent == 0.0 || ranks > 1, "{group:?} of one sends {sent}");
                }
            }
            Ok(())
        })?;
    }

    /// What is told by part and by group is the same, and the sum of the exchanges.
    #[test]
    fn sums_of_exchanges_agree(case in cases()) {
        case.accounts(|accounting, accounts| {
            for account in accounts {
                let by_part: f64 = account.sent.by_part.values().map(|sent| sent.base()).sum();
                let exchanges = accounting.merged_exchanges(account);
                let merged: f64 = exchanges.iter().map(|exchange| exchange.sent().base()).sum();
                prop_assert!(near(by_part, account.sent.total().base(), ROUNDING));
                prop_assert!(near(merged, account.sent.total().base(), ROUNDING));
            }
            Ok(())
        })?;
    }

    /// Sequence parallelism sends as much as tensor parallelism alone, and gathers the input of each
    /// block and of the head once more in the backward pass.
    #[test]
    fn sequence_parallelism_gathers_inputs_again(case in dense_cases()) {
        prop_assume!(case.layout.tp > 1);
        let both = [false, true].map(|sp| with(&case, |layout, _| layout.sp = sp));
        let in_blocks = |exchange: &Exchange| {
            exchange.group == Group::Tensor && ![Part::Embedding, Part::Head].contains(&exchange.part)
        };
        let [without, with] = both.each_ref().map(|case| {
            sent(case, |exchange| in_blocks(exchange) && exchange.pass == Some(Pass::Forward))
        });
        prop_assert!(near(with, without, ROUNDING));
        let [without, with] = both.each_ref().map(|case| {
            sent(case, |exchange| exchange.group == Group::Tensor && exchange.pass.is_some())
        });
        let inputs = f64::from(2 * case.sizes.layers + 1);
        let tp = case.layout.tp as f64;
        let again = inputs * (tp - 1.0) / tp * activations(&case);
        prop_assert!(near(with, without + again, ROUNDING), "{with} is not {without} + {again}");
    }

    /// Cutting the batch into micro-batches changes neither what ranks of a layer, of a sequence and
    /// of experts send, nor what stages send.
    #[test]
    fn micro_batches_change_no_activations(case in cases()) {
        let one = with(&case, |layout, step| step.micro_batch = step.batch / layout.dp);
        for group in [Group::Tensor, Group::Context, Group::Expert, Group::ExpertTensor, Group::Pipeline] {
            let [cut, whole] = [&case, &one].map(|case| sent(case, |exchange| exchange.group == group));
            prop_assert!(near(cut, whole, ROUNDING), "{group:?} sends {cut}, not {whole}");
        }
    }

    /// Sharing states and gradients sends as much as sharing nothing, sharing weights half as much
    /// more, where gradients are as long as weights and there is one micro-batch.
    #[test]
    fn zero_sends_what_its_paper_says(case in cases()) {
        let among_replicas = |zero| {
            let case = with(&case, |layout, step| {
                (layout.zero, layout.shard) = (zero, None);
                step.micro_batch = step.batch / layout.dp;
                step.gradients = "bf16".into();
            });
            sent(&case, |exchange| [Group::Data, Group::ExpertData].contains(&exchange.group))
        };
        let nothing = among_replicas(0);
        for (zero, times) in [(1, 1.0), (2, 1.0), (3, 1.5)] {
            prop_assert!(near(among_replicas(zero), times * nothing, ROUNDING), "zero {zero}");
        }
    }

    /// Replicas of a dense model send twice the gradients of what each has, but for its own part;
    /// those that share within a shard send a part of them between shards.
    #[test]
    fn replicas_send_their_gradients_twice(case in dense_cases()) {
        let case = with(&case, |_, step| {
            step.gradients = "bf16".into();
            step.micro_batch = 1;
        });
        let replicas = (case.layout.dp * case.layout.cp) as f64;
        let shard = case.layout.shard.map_or(replicas, |shard| shard as f64);
        let (within, between) = match case.layout.zero {
            0 => (1.0, replicas),
            _ => (shard, replicas / shard),
        };
        let often = (case.step.batch / case.layout.dp) as f64;
        let phases = match case.layout.zero {
            0 => 0.0,
            1 => 2.0,
            2 => 1.0 + often,
            _ => 3.0 * often,
        };
        let expected = phases * (within - 1.0) / within + 2.0 * (between - 1.0) / between / within;
        let ours = sent(&case, |exchange| exchange.group == Group::Data);
        prop_assert!(near(ours, expected * 2.0 * held(&case), ROUNDING), "{ours} is not {expected} times the gradients");
    }

    /// Activations pass from chunk to chunk once, and their gradients back.
    #[test]
    fn stages_hand_on_activations_once(case in cases()) {
        let Layout { pp, vpp, tp, sp, .. } = case.layout;
        let each = activations(&case) / if sp { tp as f64 } else { 1.0 };
        let borders = if pp > 1 { (pp * vpp - 1) as f64 } else { 0.0 };
        let ours = sent(&case, |exchange| exchange.collective == Collective::SendReceive && exchange.group == Group::Pipeline);
        prop_assert!(near(ours, 2.0 * borders * each, ROUNDING));
    }

    /// All ranks together send each copy of a token once to its expert and once back in each pass,
    /// unless the expert is where the token is.
    #[test]
    fn copies_of_tokens_are_dispatched_once(case in cases()) {
        let Layout { tp, sp, dp, ep, cp, etp, .. } = case.layout;
        let per_token = case.sizes.experts.map_or(0, |experts| experts.per_token);
        let passes = if case.step.recompute == mlsysim::transformer::Recompute::Full { 3.0 } else { 2.0 };
        // Ranks that all have the tokens each send them to the rank that has the same part of an expert.
        let senders = if !sp && etp.unwrap_or(tp) == tp { tp as f64 } else { 1.0 };
        let copies = case.tokens() as f64 * f64::from(per_token) * f64::from(case.sizes.hidden) * 2.0;
        let elsewhere = (ep - 1) as f64 / ep as f64;
        let expected = passes * 2.0 * case.sizes.routed_layers() as f64 * copies * elsewhere * senders;
        let ours = (tp * dp * cp) as f64 * sent(&case, |exchange| exchange.group == Group::Expert);
        prop_assert!(near(ours, expected, ROUNDING), "{ours} is not {expected}");
    }

    /// Where each expert is shared by other ranks than a layer, they gather what they work on: every
    /// rank of an expert gets the tokens of all, and gives its part of the sum back.
    #[test]
    fn ranks_of_an_expert_gather_its_tokens(case in cases()) {
        let Layout { tp, sp, dp, ep, cp, etp, .. } = case.layout;
        let etp = etp.unwrap_or(tp);
        let experts = case.sizes.experts.map_or(0, |experts| if ep > 1 { experts.per_token } else { 1 });
        let passes = if case.step.recompute == mlsysim::transformer::Recompute::Full { 3.0 } else { 2.0 };
        let gathers = etp != tp || sp && ep > 1;
        let copies = case.tokens() as f64 * f64::from(experts) * f64::from(case.sizes.hidden) * 2.0;
        let others = if gathers { (etp - 1) as f64 } else { 0.0 };
        let expected = passes * 2.0 * case.sizes.routed_layers() as f64 * copies * others;
        let ours = (tp * dp * cp) as f64 * sent(&case, |exchange| exchange.group == Group::ExpertTensor);
        prop_assert!(near(ours, expected, ROUNDING), "{ours} is not {expected}");
    }

    /// In a ring every rank gets the keys and values of all others, and in the backward pass their
    /// gradients with them.
    #[test]
    fn a_ring_shows_each_rank_every_key(case in cases()) {
        let case = with(&case, |layout, _| layout.cp_by = ContextExchange::Ring);
        let Layout { tp, cp, dp, .. } = case.layout;
        let sizes = &case.sizes;
        let heads = if sizes.latent.is_some() { sizes.heads } else { sizes.kv_heads };
        let on_ranks = u64::from(heads).max(tp) * sizes.key_and_value() * u64::from(sizes.layers);
        let again = if case.step.recompute == mlsysim::transformer::Recompute::Nothing { 0.0 } else { 1.0 };
        let others = (case.tokens() * (cp - 1)) as f64;
        let expected = (3.0 + again) * others * on_ranks as f64 * 2.0;
        let ours = (tp * dp * cp) as f64 * sent(&case, |exchange| exchange.group == Group::Context);
        prop_assert!(near(ours, expected, ROUNDING), "{ours} is not {expected}");
    }

    /// An all-to-all moves queries, keys, values and results, but for the part that stays: by as many
    /// ranks, each part is smaller.
    #[test]
    fn an_all_to_all_moves_each_number_once(case in dense_cases(), cp in 0..3u32) {
        let (tp, cp) = (case.layout.tp, 1 << cp);
        let sizes = Sizes { heads: 32, kv_heads: 32, latent: None, ..case.sizes.clone() };
        prop_assume!((32 / tp).is_multiple_of(cp));
        let case = with(&Case { sizes, ..case }, |layout, step| {
            *layout = Layout { tp, cp, cp_by: ContextExchange::AllToAll, ..Layout::whole() };
            step.sequence = 8 * cp;
            (step.batch, step.micro_batch) = (2, 1);
        });
        let width = 4.0 * 32.0 * f64::from(case.sizes.head_width * case.sizes.layers);
        let again = if case.step.recompute == mlsysim::transformer::Recompute::Nothing { 2.0 } else { 3.0 };
        let expected = again * width * 2.0 * case.tokens() as f64 * (cp - 1) as f64 / cp as f64;
        let ours = (tp * cp) as f64 * sent(&case, |exchange| exchange.group == Group::Context);
        prop_assert!(near(ours, expected, ROUNDING), "{ours} is not {expected}");
    }

    /// Ranks that hold the same KV head add up its gradients, and only they.
    #[test]
    fn copies_of_kv_heads_add_their_gradients(case in cases()) {
        let case = with(&case, |_, step| step.gradients = "fp32".into());
        let (sizes, tp) = (&case.sizes, case.layout.tp);
        let matrices = sizes.attention_matrices();
        let of_heads = matrices.iter().filter(|matrix| matrix.cut == Cut::KvColumns);
        let weights: u64 = of_heads.map(|matrix| matrix.weights()).sum::<u64>() * u64::from(sizes.layers);
        let heads = u64::from(sizes.kv_heads);
        let copies = if heads < tp && sizes.latent.is_none() { tp / heads } else { 1 };
        // All copies of a head together send two times all but one of them.
        let expected = 4.0 * 2.0 * (weights * (copies - 1)) as f64;
        let ours = tp as f64 * sent(&case, |exchange| exchange.what == "gradients of KV heads");
        prop_assert!(near(ours, expected, ROUNDING), "{ours} is not {expected}");
    }

    /// Ranks of a layer add up the gradients of what each has whole: with sequence parallelism of all
    /// of it, since each has other tokens; without it of what attention uses for the heads of a rank.
    #[test]
    fn undivided_weights_add_their_gradients(case in cases()) {
        let case = with(&case, |_, step| step.gradients = "fp32".into());
        let (sizes, Layout { tp, sp, .. }) = (&case.sizes, &case.layout);
        let block_norms = u64::from((2 * sizes.layers + 1) * sizes.hidden);
        let mut added = sizes.norm_weights() - if *sp { 0 } else { block_norms };
        for matrix in sizes.dense_matrices() {
            added += match matrix.cut {
                Cut::Whole => matrix.weights(),
                Cut::Router if *sp => matrix.weights(),
                Cut::Rows if *sp && matrix.bias => matrix.columns,
                _ => 0,
            };
        }
        let ours = *tp as f64 * sent(&case, |exchange| exchange.what == "gradients of undivided weights");
        prop_assert!(near(ours, (4 * 2 * (tp - 1) * added) as f64, ROUNDING), "{ours} is not of {added} weights");
    }

    /// Where every rank of a layer has every token and gives only its part of them to experts, it
    /// gathers the results of the others, and in the backward pass their gradients.
    #[test]
    fn results_of_experts_are_gathered(case in cases()) {
        let Layout { tp, sp, etp, .. } = case.layout;
        let passes = if case.step.recompute == mlsysim::transformer::Recompute::Full { 3.0 } else { 2.0 };
        let gathers = if !sp && etp.unwrap_or(tp) != tp { (tp - 1) as f64 / tp as f64 } else { 0.0 };
        let expected = passes * gathers * case.sizes.routed_layers() as f64 * activations(&case);
        let ours = sent(&case, |exchange| exchange.group == Group::Tensor && exchange.part == Part::Experts && exchange.collective == Collective::AllGather && exchange.what.contains("experts"));
        prop_assert!(near(ours, expected, ROUNDING), "{ours} is not {expected}");
    }
}
