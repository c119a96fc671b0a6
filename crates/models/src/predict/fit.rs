//! The fit: least squares on logarithmic errors, by Levenberg and Marquardt, deterministically.

use super::{Coefficients, Question};

/// The noise of a row where all rows are as good: errors beyond it, in the logarithm, count by their size
/// and no longer by its square, so that a few bad rows do not decide.
pub(super) const ROBUST: f64 = 0.05;

/// How many times a coefficient may be off its start, in the logarithm, before that costs as much as
/// a row: what rows do not tell stays where it starts.
const FREEDOM: f64 = 1.5;

/// How far a coefficient is moved to see what that changes, in the logarithm.
const MOVE: f64 = 1e-4;

/// How often the fit may try.
const TRIES: usize = 80;

/// The least relative gain of a step that is worth another one.
const LEAST_GAIN: f64 = 1e-7;

/// A measured time.
pub(super) struct Row<'a, Q> {
    /// What was measured.
    pub question: &'a Q,
    /// How long it took.
    pub seconds: f64,
    /// How far it may be off in the logarithm.
    pub noise: f64,
}

/// What is held of coefficients before any row is seen, all in the logarithm.
pub(super) struct Prior {
    /// What they would be without rows.
    pub centre: Vec<f64>,
    /// How far they may be off that, before it costs as much as a row; 0 where one may not move at all.
    pub width: Vec<f64>,
}

impl Prior {
    /// Nothing but where a fit starts from.
    pub fn of<C: Coefficients>() -> Prior {
        let centre = C::ALL.iter().map(|each| each.start.ln()).collect();
        Prior { centre, width: vec![FREEDOM; C::ALL.len()] }
    }

    /// How hard each coefficient that is off is pulled back, and by how much it is off.
    fn pulls(&self, at: &[f64]) -> impl Iterator<Item = (f64, f64)> {
        let off = at.iter().zip(&self.centre).map(|(at, centre)| at - centre);
        // A coefficient that may not move is never off.
        off.zip(&self.width).map(|(off, width)| (if *width > 0.0 { width.powi(-2) } else { 1.0 }, off))
    }
}

/// The coefficients that fit `rows` and `prior` best, sought from `near`.
pub(super) fn fit<Q: Question>(rows: &[Row<Q>], near: &Q::Of, prior: &Prior) -> Q::Of {
    let mut at: Vec<f64> = near.values().iter().map(|value| value.ln()).collect();
    let mut errors = errors(rows, &at);
    let mut cost = cost(rows, &errors, &at, prior);
    let mut damping = 1e-2;
    let mut slopes: Option<Slopes> = None;
    for _ in 0..TRIES {
        let of = slopes.get_or_insert_with(|| Slopes::of(rows, &errors, &at, prior));
        let Some(step) = of.solved(&of.downwards(), damping) else {
            damping *= 10.0;
            continue;
        };
        let next: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at + step.clamp(-2.0, 2.0)).collect();
        let next_errors = self::errors(rows, &next);
        let next_cost = self::cost(rows, &next_errors, &next, prior);
        if next_cost < cost {
            let gain = (cost - next_cost) / cost;
            (at, errors, cost) = (next, next_errors, next_cost);
            damping = (damping / 5.0_f64).max(1e-9);
            slopes = None;
            if gain < LEAST_GAIN {
                break;
            }
        } else {
            damping *= 4.0;
            if damping > 1e9 {
                break;
            }
        }
    }
    of(&at)
}

fn of<C: Coefficients>(logarithms: &[f64]) -> C {
    let values: Vec<f64> = logarithms.iter().map(|each| each.exp()).collect();
    C::of(&values)
}

/// How far each coefficient may be off, in the logarithm, once `rows` are seen, where they fit best.
pub(super) fn spreads<Q: Question>(rows: &[Row<Q>], best: &Q::Of, prior: &Prior) -> Vec<f64> {
    let at: Vec<f64> = best.values().iter().map(|value| value.ln()).collect();
    let slopes = Slopes::of(rows, &errors(rows, &at), &at, prior);
    let own = |index: usize| {
        let unit: Vec<f64> = (0..at.len()).map(|each| f64::from(u8::from(each == index))).collect();
        slopes.solved(&unit, 0.0).map_or(prior.width[index], |column| column[index].max(0.0).sqrt())
    };
    (0..at.len()).map(own).collect()
}

/// The logarithm of predicted over measured, of each row.
fn errors<Q: Question>(rows: &[Row<Q>], at: &[f64]) -> Vec<f64> {
    let coefficients = of::<Q::Of>(at);
    rows.iter().map(|row| (row.question.predicted(&coefficients).base() / row.seconds).ln()).collect()
}

/// The sum of robust squares, and of what coefficients are off the prior.
fn cost<Q>(rows: &[Row<Q>], errors: &[f64], at: &[f64], prior: &Prior) -> f64 {
    let robust = |(error, row): (&f64, &Row<Q>)| 2.0 * ((1.0 + (error / row.noise).powi(2)).sqrt() - 1.0);
    let off: f64 = prior.pulls(at).map(|(pull, off)| pull * off.powi(2)).sum();
    errors.iter().zip(rows).map(robust).sum::<f64>() + off
}

/// The slope of the cost and its curvature, as Gauss and Newton approximate it.
struct Slopes {
    slope: Vec<f64>,
    curvature: Vec<Vec<f64>>,
}

impl Slopes {
    fn of<Q: Question>(rows: &[Row<Q>], errors: &[f64], at: &[f64], prior: &Prior) -> Slopes {
        let moved = |index: usize| {
            if prior.width[index] == 0.0 {
                return vec![0.0; rows.len()];
            }
            let mut moved = at.to_vec();
            moved[index] += MOVE;
            let beside = self::errors(rows, &moved);
            beside.iter().zip(errors).map(|(beside, error)| (beside - error) / MOVE).collect::<Vec<f64>>()
        };
        let changes: Vec<Vec<f64>> = (0..at.len()).map(moved).collect();
        let weights: Vec<f64> = errors
            .iter()
            .zip(rows)
            .map(|(error, row)| (1.0 + (error / row.noise).powi(2)).sqrt().recip() / row.noise.powi(2))
            .collect();
        let weighted = |one: &[f64], other: &[f64]| -> f64 {
            one.iter().zip(other).zip(&weights).map(|((one, other), weight)| one * other * weight).sum()
        };
        let mut slope: Vec<f64> = changes.iter().map(|change| weighted(change, errors)).collect();
        let mut curvature: Vec<Vec<f64>> = changes
            .iter()
            .enumerate()
            .map(|(index, one)| changes[..=index].iter().map(|other| weighted(one, other)).collect())
            .collect();
        for (index, (pull, off)) in prior.pulls(at).enumerate() {
            slope[index] += pull * off;
            curvature[index][index] += pull;
        }
        Slopes { slope, curvature }
    }

    /// The way downwards.
    fn downwards(&self) -> Vec<f64> {
        self.slope.iter().map(|slope| -slope).collect()
    }

    /// What the curvature, the larger the greater `damping` is, turns into `right`; nothing where rounding
    /// leaves none.
    fn solved(&self, right: &[f64], damping: f64) -> Option<Vec<f64>> {
        let size = right.len();
        // The square root of Cholesky, row by row.
        let mut root = self.curvature.clone();
        for row in 0..size {
            for column in 0..=row {
                let known: f64 = (0..column).map(|each| root[row][each] * root[column][each]).sum();
                let mut rest = self.curvature[row][column] - known;
                if row == column {
                    rest += damping * self.curvature[row][row];
                    if rest <= 0.0 || !rest.is_finite() {
                        return None;
                    }
                    root[row][row] = rest.sqrt();
                } else {
                    root[row][column] = rest / root[column][column];
                }
            }
        }
        let mut step = vec![0.0; size];
        for row in 0..size {
            let known: f64 = (0..row).map(|each| root[row][each] * step[each]).sum();
            step[row] = (right[row] - known) / root[row][row];
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size).map(|each| root[each][row] * step[each]).sum();
            step[row] = (step[row] - known) / root[row][row];
        }
        Some(step)
    }
}
