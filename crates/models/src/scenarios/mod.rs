//! The scenarios, one a file, by group.

pub mod communication;
pub mod memory_kv;
pub mod serving;
pub mod training;

use mlsysim_scenario::Description;

/// Lists a group's scenarios: the file and the type of each.
macro_rules! scenarios {
    ($($file:ident: $scenario:ident;)*) => {
        $(
            mod $file;
            pub use $file::$scenario;
        )*

        /// Every scenario of the group, each once.
        pub(crate) const ALL: &[fn() -> &'static mlsysim_scenario::Description] =
            &[$(<$scenario as mlsysim_scenario::Define>::describe),*];
    };
}
pub(crate) use scenarios;

/// The scenarios of every group.
const GROUPS: &[&[fn() -> &'static Description]] =
    &[training::ALL, serving::ALL, communication::ALL, memory_kv::ALL];

/// Every scenario, each once.
pub(crate) const ALL: [fn() -> &'static Description; count(GROUPS)] = join(GROUPS);

const fn count(groups: &[&[fn() -> &'static Description]]) -> usize {
    let (mut group, mut count) = (0, 0);
    while group < groups.len() {
        count += groups[group].len();
        group += 1;
    }
    count
}

const fn join<const N: usize>(
    groups: &[&[fn() -> &'static Description]],
) -> [fn() -> &'static Description; N] {
    let mut joined = [groups[0][0]; N];
    let (mut group, mut at) = (0, 0);
    while group < groups.len() {
        let mut index = 0;
        while index < groups[group].len() {
            joined[at] = groups[group][index];
            index += 1;
            at += 1;
        }
        group += 1;
    }
    joined
}
