//! The fit: least squares on logarithmic errors, by Levenberg and Marquardt, deterministically.

use super::{Coefficients, Question};

/// Errors beyond this, in the logarithm, count by their size and no longer by its square, so that a few
/// bad rows do not decide.
const ROBUST: f64 = 0.05;

/// How many times a coefficient may be off its start, in the logarithm, before that costs as much as
/// a row: what rows do not tell stays where it starts.
const FREEDOM: f64 = 1.5;

/// How far a coefficient is moved to see what that changes, in the logarithm.
const MOVE: f64 = 1e-4;

/// How often the fit may try.
const TRIES: usize = 80;

/// The least relative gain of a step that is worth another one.
const LEAST_GAIN: f64 = 1e-7;

/// The coefficients that fit measured `seconds` of `questions` best, sought from `near`.
pub(super) fn fit<Q: Question>(rows: &[(&Q, f64)], near: &Q::Of) -> Q::Of {
    let start: Vec<f64> = <Q::Of as Coefficients>::ALL.iter().map(|each| each.start.ln()).collect();
    let mut at: Vec<f64> = near.values().iter().map(|value| value.ln()).collect();
    let mut errors = errors(rows, &at);
    let mut cost = cost(&errors, &at, &start);
    let mut damping = 1e-2;
    let mut slopes: Option<Slopes> = None;
    for _ in 0..TRIES {
        let of = slopes.get_or_insert_with(|| Slopes::of(rows, &errors, &at, &start));
        let Some(step) = of.step(damping) else {
            damping *= 10.0;
            continue;
        };
        let next: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at + step.clamp(-2.0, 2.0)).collect();
        let next_errors = self::errors(rows, &next);
        let next_cost = self::cost(&next_errors, &next, &start);
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

/// The logarithm of predicted over measured, of each row.
fn errors<Q: Question>(rows: &[(&Q, f64)], at: &[f64]) -> Vec<f64> {
    let coefficients = of::<Q::Of>(at);
    rows.iter().map(|(question, seconds)| (question.predicted(&coefficients).base() / seconds).ln()).collect()
}

/// The sum of robust squares, and of what coefficients are off their starts.
fn cost(errors: &[f64], at: &[f64], start: &[f64]) -> f64 {
    let rows: f64 = errors.iter().map(|error| 2.0 * ((1.0 + (error / ROBUST).powi(2)).sqrt() - 1.0)).sum();
    let off: f64 = at.iter().zip(start).map(|(at, start)| ((at - start) / FREEDOM).powi(2)).sum();
    rows + off
}

/// The slope of the cost and its curvature, as Gauss and Newton approximate it.
struct Slopes {
    slope: Vec<f64>,
    curvature: Vec<Vec<f64>>,
}

impl Slopes {
    fn of<Q: Question>(rows: &[(&Q, f64)], errors: &[f64], at: &[f64], start: &[f64]) -> Slopes {
        let moved = |index: usize| {
            let mut moved = at.to_vec();
            moved[index] += MOVE;
            let beside = self::errors(rows, &moved);
            beside.iter().zip(errors).map(|(beside, error)| (beside - error) / MOVE).collect::<Vec<f64>>()
        };
        let changes: Vec<Vec<f64>> = (0..at.len()).map(moved).collect();
        let weights: Vec<f64> = errors
            .iter()
            .map(|error| (1.0 + (error / ROBUST).powi(2)).sqrt().recip() / ROBUST.powi(2))
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
        for (index, (at, start)) in at.iter().zip(start).enumerate() {
            slope[index] += (at - start) / FREEDOM.powi(2);
            curvature[index][index] += FREEDOM.powi(-2);
        }
        Slopes { slope, curvature }
    }

    /// The step downwards, the shorter the greater `damping` is; nothing where rounding leaves none.
    fn step(&self, damping: f64) -> Option<Vec<f64>> {
        let size = self.slope.len();
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
            step[row] = (-self.slope[row] - known) / root[row][row];
        }
        for row in (0..size).rev() {
            let known: f64 = (row + 1..size).map(|each| root[each][row] * step[each]).sum();
            step[row] = (step[row] - known) / root[row][row];
        }
        Some(step)
    }
}
