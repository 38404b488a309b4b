//! Makes a net of `search::Net` for a ruleset, in four steps:
//!
//! ```text
//! train_net positions RULESET EXPANSIONS FILE [NET]        leaves that searches evaluate, one a line
//! train_net label RULESET POSITIONS EXPANSIONS FILE [NET]  the effort that a small search of each needs
//! train_net fit RULESET SLOPE SEED FILE (LABELS PN_UNIT DN_UNIT)...   the net
//! train_net sweep RULESET NET SLOPE...                     what the lines of the ladder cost with other slopes
//! ```
//!
//! Without `NET` the searches use the linear evaluator. `PN_UNIT` and `DN_UNIT` are what an expansion of effort counts in proof and
//! disproof numbers of the evaluator that labelled: label with 100 and with 300 expansions, and see at which number half of
//! the positions left open by the first are proved (disproved) by the second; divide it by 200.

#![expect(
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a tool that reports on stderr and calculates in single precision"
)]

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs,
    io::{BufWriter, Write},
    marker::PhantomData,
    sync::Mutex,
};

use rules::{
    Change, Class, Color, Game, MoveGen, Position, Ruleset, canonical_moves, fen, for_class, line,
};
use search::{
    Answer, Evaluator, FeatureSet, HIDDEN, Hints, Job, LANES, Leaf, Limits, Linear, NET_MAGIC, Net,
    NetContext, NoOracle, PnDn, ProofLog, StopFlag, Table, Tools, Trained, Workspace, feature_rows,
    search,
};

/// Lines of the main game whose searches give the positions. None of them is in the benchmark suite.
const LINES: [(&str, Color); 20] = [
    ("e3 b5", Color::White),
    ("e3 c5", Color::White),
    ("e3 a6", Color::White),
    ("e3 a5", Color::White),
    ("e3 c6", Color::White),
    ("e3 Nc6", Color::White),
    ("e3 Nh6", Color::White),
    ("e3 b6", Color::White),
    ("e3 e6", Color::White),
    ("e3 g5", Color::White),
    ("h3", Color::Black),
    ("a3", Color::Black),
    ("f3", Color::Black),
    ("b4", Color::Black),
    ("c3", Color::Black),
    ("a4", Color::Black),
    ("c4", Color::Black),
    ("g3", Color::Black),
    ("e3 c5", Color::Black),
    ("h3", Color::White),
];
/// Lines of the main game by which slopes are judged, with the sides that win them.
const LADDER: [(&str, Color); 8] = [
    ("e3 Na6", Color::White),
    ("e3 g6", Color::White),
    ("e3 Nf6", Color::White),
    ("e3 h6", Color::White),
    ("e3 e5", Color::White),
    ("e3 f5", Color::White),
    ("Nc3", Color::Black),
    ("f4", Color::Black),
];
/// More expansions than any of them was seen to take.
const MOST_FOR_A_LINE: u64 = 40_000_000;
/// Roots of the other games: so many positions of random games, for either side.
const RANDOM_ROOTS: usize = 400;
/// They lie so many plies from the start at most.
const RANDOM_PLIES: u64 = 40;
/// Positions kept of each line.
const PER_LINE: usize = 25_000;
/// Positions kept of each root of the other games.
const PER_RANDOM_ROOT: usize = 150;
/// One of so many leaves is kept, chosen by the key; ten times as many of the other games.
const SAMPLE: u64 = 1_500;
const EPOCHS: usize = 12;
const BATCH: usize = 128;
/// Logarithm of the effort of what cannot be had.
const HOPELESS: f32 = 17.0;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let [step, ruleset, ref rest @ ..] = args[..] else {
        return Err("see the head of the source".into());
    };
    let ruleset: Ruleset = ruleset.parse()?;
    for_class!(ruleset.class(), G => Trainer::<G>::new(ruleset).run(step, rest))
}

/// The steps for one ruleset.
struct Trainer<G> {
    ruleset: Ruleset,
    class: PhantomData<G>,
}

impl<G: Trained> Trainer<G> {
    fn new(ruleset: Ruleset) -> Self {
        Self {
            ruleset,
            class: PhantomData,
        }
    }

    fn run(&self, step: &str, args: &[&str]) -> Result<(), Failure> {
        match (step, args) {
            ("positions", [nodes, out, net @ ..]) => {
                self.positions(nodes.parse()?, out, &Chosen::read(net)?)
            }
            ("label", [from, nodes, out, net @ ..]) => {
                self.label(from, nodes.parse()?, out, &Chosen::read(net)?)
            }
            ("fit", [slope, seed, out, labels @ ..]) => {
                self.fit(slope.parse()?, seed.parse()?, out, labels)
            }
            ("sweep", [net, slopes @ ..]) => self.sweep(net, slopes),
            _ => Err("see the head of the source".into()),
        }
    }
}

/// Either evaluator, chosen at run time.
enum Chosen<F> {
    Linear,
    Net(Box<Net<F>>),
}

impl<F: FeatureSet> Chosen<F> {
    fn read(net: &[&str]) -> Result<Self, Failure> {
        Ok(match net {
            [path] => Self::Net(Box::new(Net::read(&fs::read(path)?).ok_or("not a net")?)),
            _ => Self::Linear,
        })
    }
}

impl<G: MoveGen, F: FeatureSet> Evaluator<G> for Chosen<F> {
    type Context = Option<NetContext>;

    fn context(&self, parent: &Position, attacker: Color) -> Self::Context {
        match self {
            Self::Linear => None,
            Self::Net(net) => Some(Evaluator::<G>::context(&**net, parent, attacker)),
        }
    }

    fn next_context(
        &self,
        context: &Self::Context,
        changes: &[Change],
        attacker: Color,
    ) -> Self::Context {
        match (self, context) {
            (Self::Net(net), Some(context)) => Some(Evaluator::<G>::next_context(
                &**net, context, changes, attacker,
            )),
            _ => None,
        }
    }

    fn evaluate(&self, context: &Self::Context, leaf: &Leaf<'_>) -> PnDn {
        match (self, context) {
            (Self::Net(net), Some(context)) => Evaluator::<G>::evaluate(&**net, context, leaf),
            _ => Evaluator::<G>::evaluate(&Linear, &(), leaf),
        }
    }
}

/// Passes evaluations on and keeps some of the positions.
struct Sampler<'a, F> {
    evaluator: &'a Chosen<F>,
    /// One of so many leaves is kept, chosen by the key.
    sample: u64,
    most: usize,
    kept: Mutex<BTreeMap<u64, Position>>,
}

impl<G: MoveGen, F: FeatureSet> Evaluator<G> for Sampler<'_, F> {
    type Context = Option<NetContext>;

    fn context(&self, parent: &Position, attacker: Color) -> Self::Context {
        Evaluator::<G>::context(self.evaluator, parent, attacker)
    }

    fn next_context(
        &self,
        context: &Self::Context,
        changes: &[Change],
        attacker: Color,
    ) -> Self::Context {
        Evaluator::<G>::next_context(self.evaluator, context, changes, attacker)
    }

    fn evaluate(&self, context: &Self::Context, leaf: &Leaf<'_>) -> PnDn {
        let position = leaf.position;
        let hash = position.key().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        if hash.is_multiple_of(self.sample) {
            let mut kept = self.kept.lock().expect("no thread panics");
            if kept.len() < self.most {
                kept.insert(position.key(), *position);
            }
        }
        Evaluator::<G>::evaluate(self.evaluator, context, leaf)
    }
}

impl<G: Trained> Trainer<G> {
    /// A search from nothing.
    fn search(
        &self,
        root: Position,
        attacker: Color,
        evaluator: &impl Evaluator<G>,
        megabytes: usize,
        nodes: u64,
    ) -> search::Report {
        let job = Job::new(root, attacker, self.ruleset);
        let table = Table::with_bytes(megabytes << 20);
        let log = ProofLog::default();
        let limits = Limits::nodes(nodes);
        let tools = Tools {
            evaluator,
            oracle: &NoOracle,
            table: &table,
            log: &log,
            hints: &Hints::default(),
        };
        search::<G, _, _>(
            &job,
            tools,
            &mut Workspace::default(),
            &limits,
            &StopFlag::new(),
            &(),
        )
    }

    /// Hard lines of the main game, positions of random games of the others.
    fn roots(&self) -> Result<Vec<(Position, Color)>, Failure> {
        if self.ruleset.class() == Class::Antichess {
            let root = |(text, attacker)| {
                let (game, _) = line::play(Game::initial(self.ruleset), text)?;
                Ok((*game.position(), attacker))
            };
            return LINES.into_iter().map(root).collect();
        }
        let mut random = Random(2);
        let mut roots = Vec::new();
        while roots.len() < 2 * RANDOM_ROOTS {
            let mut position = *Game::initial(self.ruleset).position();
            for _ in 0..random.next() % RANDOM_PLIES {
                let moves = canonical_moves(&position, self.ruleset);
                if moves.is_empty() {
                    break;
                }
                let mv = moves[(random.next() >> 33) as usize % moves.len()];
                position = position.after(mv, self.ruleset);
            }
            roots.extend(Color::ALL.map(|attacker| (position, attacker)));
        }
        Ok(roots)
    }

    fn positions(
        &self,
        nodes: u64,
        out: &str,
        evaluator: &Chosen<G::Features>,
    ) -> Result<(), Failure> {
        let mut out = BufWriter::new(fs::File::create(out)?);
        let roots = self.roots()?;
        let main_game = self.ruleset.class() == Class::Antichess;
        let (sample, most) = if main_game {
            (SAMPLE, PER_LINE)
        } else {
            (SAMPLE / 10, PER_RANDOM_ROOT)
        };
        for (root, attacker) in roots {
            let sampler = Sampler {
                evaluator,
                sample,
                most,
                kept: Mutex::default(),
            };
            self.search(root, attacker, &sampler, 16, nodes);
            for position in sampler.kept.into_inner()?.values() {
                writeln!(out, "{attacker} {}", fen::write_position(position))?;
            }
        }
        Ok(out.flush()?)
    }

    fn label(
        &self,
        from: &str,
        nodes: u64,
        out: &str,
        evaluator: &Chosen<G::Features>,
    ) -> Result<(), Failure> {
        let mut out = BufWriter::new(fs::File::create(out)?);
        for text in fs::read_to_string(from)?.lines() {
            let (attacker, fen) = text.split_once(' ').ok_or("no attacker")?;
            let attacker: Color = attacker.parse()?;
            let root = *fen::parse(fen, self.ruleset)?.game.position();
            let report = self.search(root, attacker, evaluator, 0, nodes);
            let (status, pn, dn) = match report.answer {
                Answer::Proven(_) => ("proved", 0, 0),
                Answer::Disproven => ("disproved", 0, 0),
                Answer::Open(PnDn { pn, dn }) => ("open", pn, dn),
            };
            writeln!(out, "{text}\t{status}\t{}\t{pn}\t{dn}", report.nodes)?;
        }
        Ok(out.flush()?)
    }

    fn samples(&self, labels: &str, units: [f32; 2]) -> Result<Vec<Sample>, Failure> {
        let mut samples = Vec::new();
        for text in fs::read_to_string(labels)?.lines() {
            let fields: Vec<&str> = text.split('\t').collect();
            let (attacker, fen) = fields[0].split_once(' ').ok_or("no attacker")?;
            let attacker: Color = attacker.parse()?;
            let position = *fen::parse(fen, self.ruleset)?.game.position();
            let nodes: f32 = fields[2].parse()?;
            let numbers: [f32; 2] = [fields[3].parse()?, fields[4].parse()?];
            let open = [0, 1].map(|i| (numbers[i] / units[i] + nodes / 2.0).log2().min(HOPELESS));
            let efforts = match fields[1] {
                "proved" => [nodes.max(1.0).log2(), HOPELESS],
                "disproved" => [HOPELESS, nodes.max(1.0).log2()],
                _ => open,
            };
            samples.push(Sample {
                rows: feature_rows::<G::Features>(&position, attacker, G::count_moves(&position)),
                attacker_to_move: position.side_to_move() == attacker,
                efforts,
            });
        }
        Ok(samples)
    }

    fn fit(&self, slope: f32, seed: u64, out: &str, labels: &[&str]) -> Result<(), Failure> {
        let mut all = Vec::new();
        for part in labels.chunks(3) {
            let [path, pn, dn] = part else {
                return Err("each file of labels needs its two units".into());
            };
            all.extend(self.samples(path, [pn.parse()?, dn.parse()?])?);
        }
        let rows = G::Features::ROWS;
        let mut random = Random(seed);
        let mut bytes = NET_MAGIC.to_vec();
        bytes.extend(u32::try_from(rows)?.to_le_bytes());
        bytes.extend(((slope * 256.0) as i16).to_le_bytes());
        for attacker_to_move in [true, false] {
            let part: Vec<&Sample> = all
                .iter()
                .filter(|sample| sample.attacker_to_move == attacker_to_move)
                .collect();
            eprintln!(
                "attacker to move: {attacker_to_move}, {} samples",
                part.len()
            );
            bytes.extend(train(&part, rows, &mut random).bytes());
        }
        Ok(fs::write(out, bytes)?)
    }
}

impl<G: Trained> Trainer<G> {
    /// Prints the expansions of each line of the ladder for each slope, and their sum.
    fn sweep(&self, net: &str, slopes: &[&str]) -> Result<(), Failure> {
        let bytes = fs::read(net)?;
        for text in slopes {
            let slope = (text.parse::<f32>()? * 256.0) as i32;
            let net = Net::<G::Features>::read(&bytes).ok_or("not a net")?;
            let net = net.with_slope(slope);
            let mut total = 0;
            for (line, attacker) in LADDER {
                let (game, _) = line::play(Game::initial(self.ruleset), line)?;
                let report = self.search(*game.position(), attacker, &net, 64, MOST_FOR_A_LINE);
                eprintln!("slope {text}: {line} {} {:?}", report.nodes, report.answer);
                total += report.nodes;
            }
            eprintln!("slope {text}: {total} in all");
        }
        Ok(())
    }
}

/// What the net should say of a position.
struct Sample {
    rows: Vec<usize>,
    attacker_to_move: bool,
    efforts: [f32; 2],
}

/// `SplitMix64`, so that training repeats exactly.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Between -1 and 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

/// Parameters with Adam's moments (Kingma and Ba 2015).
struct Parameters {
    values: Vec<f32>,
    gradient: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    step: i32,
}

impl Parameters {
    fn new(values: Vec<f32>) -> Self {
        let zeros = vec![0.0; values.len()];
        Self {
            gradient: zeros.clone(),
            first: zeros.clone(),
            second: zeros,
            values,
            step: 0,
        }
    }

    fn update(&mut self, rate: f32) {
        self.step += 1;
        let (c1, c2) = (1.0 - 0.9f32.powi(self.step), 1.0 - 0.999f32.powi(self.step));
        for i in 0..self.values.len() {
            let g = std::mem::take(&mut self.gradient[i]);
            self.first[i] += 0.1 * (g - self.first[i]);
            self.second[i] += 0.001 * (g * g - self.second[i]);
            self.values[i] -= rate * (self.first[i] / c1) / ((self.second[i] / c2).sqrt() + 1e-8);
        }
    }
}

/// One half of the net while it is trained.
struct Half {
    rows: Parameters,
    /// Weights of the two outputs, then their biases.
    head: Parameters,
}

const HEAD: usize = 2 * HIDDEN + 2;

impl Half {
    fn new(random: &mut Random, rows: usize, mean: [f32; 2]) -> Self {
        let mut rows = vec![0.0; rows * LANES];
        for (i, value) in rows.iter_mut().enumerate() {
            if i % LANES < HIDDEN {
                *value = 0.1 * random.unit();
            }
        }
        let mut head = vec![0.0; HEAD];
        head[..2 * HIDDEN].fill_with(|| 0.3 * random.unit());
        head[2 * HIDDEN..].copy_from_slice(&mean);
        Self {
            rows: Parameters::new(rows),
            head: Parameters::new(head),
        }
    }

    fn sums(&self, rows: &[usize]) -> [f32; LANES] {
        let mut sums = [0.0; LANES];
        for &row in rows {
            let row = &self.rows.values[row * LANES..][..LANES];
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
        sums
    }

    fn outputs(&self, sums: &[f32; LANES]) -> [f32; 2] {
        [0, 1].map(|o| {
            let weights = &self.head.values[o * HIDDEN..][..HIDDEN];
            let hidden: f32 = sums.iter().zip(weights).map(|(z, w)| z.max(0.0) * w).sum();
            hidden + sums[HIDDEN + o] + self.head.values[2 * HIDDEN + o]
        })
    }

    fn learn(&mut self, sample: &Sample, weight: f32) {
        let sums = self.sums(&sample.rows);
        let outputs = self.outputs(&sums);
        let mut back = [0.0; LANES];
        for o in 0..2 {
            let error = 2.0 * weight * (outputs[o] - sample.efforts[o]);
            for unit in 0..HIDDEN {
                self.head.gradient[o * HIDDEN + unit] += error * sums[unit].max(0.0);
                if sums[unit] > 0.0 {
                    back[unit] += error * self.head.values[o * HIDDEN + unit];
                }
            }
            back[HIDDEN + o] += error;
            self.head.gradient[2 * HIDDEN + o] += error;
        }
        for &row in &sample.rows {
            let gradient = &mut self.rows.gradient[row * LANES..][..LANES];
            for (g, b) in gradient.iter_mut().zip(&back) {
                *g += b;
            }
        }
    }

    fn update(&mut self, rate: f32) {
        self.rows.update(rate);
        self.head.update(rate);
    }

    fn bytes(&self) -> impl Iterator<Item = u8> {
        let values = self.rows.values.iter().chain(&self.head.values);
        values.flat_map(|value| ((value * 256.0).round() as i16).to_le_bytes())
    }
}

/// The part of the variance that the half explains, for both outputs.
fn explained(half: &Half, samples: &[&Sample]) -> [f32; 2] {
    let n = samples.len() as f32;
    let outputs: Vec<[f32; 2]> = samples
        .iter()
        .map(|s| half.outputs(&half.sums(&s.rows)))
        .collect();
    [0, 1].map(|o| {
        let mean = samples.iter().map(|s| s.efforts[o]).sum::<f32>() / n;
        let total: f32 = samples.iter().map(|s| (s.efforts[o] - mean).powi(2)).sum();
        let left: f32 = samples
            .iter()
            .zip(&outputs)
            .map(|(s, y)| (s.efforts[o] - y[o]).powi(2))
            .sum();
        1.0 - left / total
    })
}

fn train(samples: &[&Sample], rows: usize, random: &mut Random) -> Half {
    // One sample in twenty is held out to see what was learned.
    let (held, mut used): (Vec<&Sample>, Vec<&Sample>) = samples
        .iter()
        .partition(|_| random.next().is_multiple_of(20));
    let mean = [0, 1].map(|o| used.iter().map(|s| s.efforts[o]).sum::<f32>() / used.len() as f32);
    let mut half = Half::new(random, rows, mean);
    for epoch in 0..EPOCHS {
        for i in (1..used.len()).rev() {
            used.swap(i, (random.next() % (i as u64 + 1)) as usize);
        }
        let rate = 0.003 * 0.5f32.powf(epoch as f32 / 2.0).max(0.02);
        for batch in used.chunks(BATCH) {
            for sample in batch {
                half.learn(sample, 1.0 / batch.len() as f32);
            }
            half.update(rate);
        }
        eprintln!(
            "epoch {epoch}: explained, held out {:.3?}",
            explained(&half, &held)
        );
    }
    half
}
