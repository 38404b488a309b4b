//! The loop: change an input, read it, keep it if the reader says something new.

use std::{
    any::Any,
    cell::RefCell,
    collections::BTreeMap,
    fs, io,
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    findings::Findings,
    mutation::mutant,
    random::Random,
    readers::{Read, Reader},
    watch::{self, Current, memory},
};

/// The longest mutant, unless a seed is longer.
const MOST_BYTES: usize = 4096;
/// Answers of a reader that are told apart at most.
const MOST_ANSWERS: usize = 4000;
/// Inputs between two looks at the memory that they took.
const BATCH: usize = 256;
/// Memory that a batch may take beyond what the process held before.
const MOST_MEMORY: u64 = 512 << 20;

thread_local! {
    /// Where and why the thread panicked last.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What a run came to.
pub(crate) struct Summary {
    pub(crate) executions: u64,
    pub(crate) seconds: f64,
    pub(crate) accepted: u64,
    pub(crate) answers: usize,
    pub(crate) findings: usize,
}

struct Run<'a> {
    reader: &'a mut dyn Reader,
    findings: Arc<Findings>,
    current: Arc<Current>,
    seeds: Vec<Vec<u8>>,
    /// The smallest input for each answer.
    answers: BTreeMap<String, Vec<u8>>,
    executions: u64,
    accepted: u64,
}

/// Reads mutants for so long. `folder` gets findings, and the smallest input for each answer.
pub(crate) fn run(
    reader: &mut dyn Reader,
    duration: Duration,
    seed: u64,
    folder: &Path,
) -> io::Result<Summary> {
    let corpus = folder.join("corpus");
    fs::create_dir_all(&corpus)?;
    let seeds = reader.seeds();
    assert!(!seeds.is_empty(), "there is nothing to begin with");
    panic::set_hook(Box::new(|info| {
        PANIC.set(info.to_string());
    }));
    let findings = Arc::new(Findings::new(folder.to_owned()));
    let mut run = Run {
        seeds,
        reader,
        current: watch::begin(&findings),
        findings,
        answers: BTreeMap::new(),
        executions: 0,
        accepted: 0,
    };
    let began = Instant::now();
    run.mutate(duration, seed);
    for (number, input) in run.answers.values().enumerate() {
        fs::write(corpus.join(format!("{number:04}")), input)?;
    }
    let answers: Vec<&str> = run.answers.keys().map(String::as_str).collect();
    fs::write(folder.join("answers"), answers.join("\n") + "\n")?;
    Ok(Summary {
        executions: run.executions,
        seconds: began.elapsed().as_secs_f64(),
        accepted: run.accepted,
        answers: run.answers.len(),
        findings: run.findings.count(),
    })
}

impl Run<'_> {
    fn mutate(&mut self, duration: Duration, seed: u64) {
        let mut random = Random::new(seed.max(1));
        let longest = self.seeds.iter().map(Vec::len).max().unwrap_or(0);
        let most_bytes = MOST_BYTES.max(longest + longest / 4);
        for seed in self.seeds.clone() {
            self.read(&seed);
        }
        let began = Instant::now();
        let mut batch: Vec<Vec<u8>> = Vec::new();
        memory::forget();
        let mut held = memory::most();
        while began.elapsed() < duration {
            let input = self.next(&mut random, most_bytes);
            self.read(&input);
            batch.push(input);
            if batch.len() == BATCH {
                if memory::most() > held + MOST_MEMORY {
                    self.find_the_large(&batch);
                }
                batch.clear();
                memory::forget();
                held = memory::most();
            }
        }
    }

    fn next(&mut self, random: &mut Random, most_bytes: usize) -> Vec<u8> {
        let input = self.pick(random);
        let other = self.pick(random);
        let mut bytes = mutant(random, &input, &other, self.reader.words(), most_bytes);
        if random.below(8) > 0 {
            self.reader.seal(&mut bytes);
        }
        bytes
    }

    /// A seed, or an input that got a new answer.
    fn pick(&self, random: &mut Random) -> Vec<u8> {
        if self.answers.is_empty() || random.below(4) == 0 {
            return self.seeds[random.below(self.seeds.len())].clone();
        }
        let place = random.below(self.answers.len());
        self.answers
            .values()
            .nth(place)
            .cloned()
            .unwrap_or_default()
    }

    fn read(&mut self, input: &[u8]) {
        self.executions += 1;
        self.current.begin(input);
        let reader = &mut *self.reader;
        match panic::catch_unwind(AssertUnwindSafe(|| reader.read(input))) {
            Ok(Read { accepted, answer }) => {
                self.accepted += u64::from(accepted);
                self.note(essence(&answer), input);
            }
            Err(payload) => self.failed(&*payload, input),
        }
    }

    fn note(&mut self, answer: String, input: &[u8]) {
        let is_full = self.answers.len() >= MOST_ANSWERS;
        match self.answers.get_mut(&answer) {
            Some(kept) if input.len() < kept.len() => *kept = input.to_vec(),
            None if !is_full => drop(self.answers.insert(answer, input.to_vec())),
            _ => {}
        }
    }

    fn failed(&self, _: &(dyn Any + Send), input: &[u8]) {
        let what = PANIC.take();
        let place = what.lines().next().unwrap_or_default();
        self.findings.add(place, &what, input);
    }

    /// Reads a batch again, one by one, that took much memory.
    fn find_the_large(&mut self, batch: &[Vec<u8>]) {
        for input in batch {
            memory::forget();
            let held = memory::most();
            self.read(input);
            let taken = memory::most().saturating_sub(held);
            if taken > MOST_MEMORY {
                let what = format!("an input takes {} MiB", taken >> 20);
                self.findings.add("memory", &what, input);
            }
        }
    }
}

/// An answer without what is different in each input: only plain words are left.
fn essence(answer: &str) -> String {
    let unquoted = answer.split(['"', '\'', '`']).step_by(2);
    let words = unquoted.flat_map(str::split_ascii_whitespace);
    let plain = words.filter(|word| {
        let word = word.trim_end_matches([',', '.', ':', ';', ')']);
        word.bytes()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'=' | b'('))
    });
    let plain: Vec<&str> = plain.take(16).collect();
    plain.join(" ")
}

/// So many binary digits: tells magnitudes apart, not numbers.
pub(crate) fn magnitude(number: u64) -> String {
    "i".repeat((u64::BITS - number.leading_zeros()) as usize)
}
