//! Deployments of known durations: chains, fans, diamonds, layers.

use fastrand::Rng;

/// One resource.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    /// Index of its type.
    pub(crate) kind: usize,
    /// How long its creation takes, in milliseconds.
    pub(crate) millis: u64,
    /// Indexes of the earlier tasks it refers to.
    pub(crate) needs: Vec<usize>,
}

/// A deployment.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    /// What it is called in the table.
    pub(crate) name: String,
    /// Its resources, each after those it needs.
    pub(crate) tasks: Vec<Task>,
}

/// How many types there are.
pub(crate) const KINDS: usize = 12;

/// The shortest and the longest operation, in milliseconds.
const RANGE: (f64, f64) = (500.0, 120_000.0);

impl Graph {
    /// The longest way through it, in milliseconds.
    pub(crate) fn critical_path(&self) -> u64 {
        let mut ends: Vec<u64> = Vec::new();
        for task in &self.tasks {
            let start = task.needs.iter().map(|need| ends[*need]).max().unwrap_or(0);
            ends.push(start + task.millis);
        }
        ends.into_iter().max().unwrap_or(0)
    }
}

/// Each needs the one before.
pub(crate) fn chain(count: usize, time: impl FnMut() -> (usize, u64)) -> Graph {
    layers(&format!("chain of {count}"), count, 1, time)
}

/// None needs another.
pub(crate) fn fan(count: usize, time: impl FnMut() -> (usize, u64)) -> Graph {
    layers(&format!("fan of {count}"), 1, count, time)
}

/// One, then some that need it, then one that needs them all, and so on.
pub(crate) fn diamonds(count: usize, width: usize, mut time: impl FnMut() -> (usize, u64)) -> Graph {
    let mut tasks: Vec<Task> = Vec::new();
    let mut add = |needs: Vec<usize>| {
        let (kind, millis) = time();
        tasks.push(Task { kind, millis, needs });
        tasks.len() - 1
    };
    let mut top = add(Vec::new());
    for _ in 0..count {
        let middle: Vec<usize> = (0..width).map(|_| add(vec![top])).collect();
        top = add(middle);
    }
    Graph {
        name: format!("{count} diamonds of {width}"),
        tasks,
    }
}

/// Layers of which each task needs one to three of the layer before.
pub(crate) fn layered(
    count: usize,
    depth: usize,
    random: &mut Rng,
    mut time: impl FnMut() -> (usize, u64),
) -> Graph {
    let width = count / depth;
    let mut tasks = Vec::new();
    for index in 0..count {
        let layer = index / width;
        let mut needs: Vec<usize> = (0..random.usize(1..=3))
            .filter(|_| layer > 0)
            .map(|_| (layer - 1) * width + random.usize(0..width))
            .collect();
        needs.sort_unstable();
        needs.dedup();
        let (kind, millis) = time();
        tasks.push(Task { kind, millis, needs });
    }
    Graph {
        name: format!("{count} in {depth} layers"),
        tasks,
    }
}

fn layers(name: &str, depth: usize, width: usize, mut time: impl FnMut() -> (usize, u64)) -> Graph {
    let tasks = (0..depth * width).map(|index| {
        let (kind, millis) = time();
        Task {
            kind,
            millis,
            needs: index.checked_sub(width).into_iter().collect(),
        }
    });
    Graph {
        name: name.to_owned(),
        tasks: tasks.collect(),
    }
}

/// Always the same.
pub(crate) fn always(millis: u64) -> impl FnMut() -> (usize, u64) {
    move || (0, millis)
}

/// Anything between half a second and two minutes, short ones more often; a type tells nothing.
pub(crate) fn mixed(random: &mut Rng) -> impl FnMut() -> (usize, u64) {
    move || (0, scaled(random.f64()))
}

/// Each type has its own duration, which varies by a tenth.
pub(crate) fn typed(random: &mut Rng) -> impl FnMut() -> (usize, u64) {
    move || {
        let kind = random.usize(0..KINDS);
        #[expect(clippy::cast_precision_loss, reason = "there are twelve")]
        let share = (kind as f64 + 0.5) / KINDS as f64;
        let millis = scaled(share);
        let tenth = millis / 10;
        (kind, millis - tenth + random.u64(0..=2 * tenth))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 500 and 120,000"
)]
fn scaled(share: f64) -> u64 {
    let (shortest, longest) = RANGE;
    (shortest * (longest / shortest).powf(share)) as u64
}
