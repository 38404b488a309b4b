//! Prints training data for the linear evaluator: positions that searches of hard lines evaluated, with the effort that a
//! small search of each needed.
use rules::*;
use search::*;
use std::{
    cell::RefCell,
    sync::Mutex,
    time::{Duration, Instant},
};
struct Sampler {
    rate: u64,
    seen: Mutex<std::collections::HashMap<u64, (Position, u32)>>,
}
thread_local! {static X:RefCell<u32> =RefCell::new(0);}
impl Evaluator for Sampler {
    fn evaluate(&self, p: &Position, a: Color, m: u32) -> PnDn {
        if (p.key().wrapping_mul(0x9E3779B97F4A7C15) >> 20) % self.rate == 0 {
            let mut s = self.seen.lock().unwrap();
            if s.len() < 25000 {
                s.entry(p.key()).or_insert((*p, m));
            }
        }
        Linear.evaluate(p, a, m)
    }
}
fn main() {
    let lines = [
        ("1. e3 b5", 0),
        ("1. e3 c5", 0),
        ("1. e3 a6", 0),
        ("1. e3 a5", 0),
        ("1. e3 c6", 0),
        ("1. e3 Nc6", 0),
        ("1. e3 Nh6", 0),
        ("1. e3 f6", 0),
        ("1. e3 e6", 0),
        ("1. e3 h5", 0),
        ("1. h3", 1),
        ("1. a3", 1),
        ("1. Nf3", 1),
        ("1. f4", 1),
        ("1. f3", 1),
        ("1. b4", 1),
        ("1. h4", 1),
        ("1. c3", 1),
    ];
    let secs: f64 = std::env::args()
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or(8.0);
    for (l, b) in lines {
        let att = if b == 0 { Color::White } else { Color::Black };
        let (g, _) = line::play(Game::initial(Ruleset::Joint), l).unwrap();
        let table = Table::with_bytes(64 << 20);
        let log = ProofLog::default();
        let s = Sampler {
            rate: 1500,
            seen: Mutex::default(),
        };
        search::<Antichess, _>(
            &Job {
                root: *g.position(),
                attacker: att,
                ruleset: Ruleset::Joint,
            },
            &s,
            &table,
            &log,
            &Limits {
                nodes: u64::MAX,
                deadline: Some(Instant::now() + Duration::from_secs_f64(secs)),
            },
            &StopFlag::new(),
            &(),
        );
        let mut v: Vec<_> = s.seen.into_inner().unwrap().into_iter().collect();
        v.sort_by_key(|x| x.0);
        for (_, (p, m)) in v {
            let table = Table::with_bytes(0);
            let log = ProofLog::default();
            let n = 300u64;
            let r = search::<Antichess, _>(
                &Job {
                    root: p,
                    attacker: att,
                    ruleset: Ruleset::Joint,
                },
                &Linear,
                &table,
                &log,
                &Limits {
                    nodes: n,
                    deadline: None,
                },
                &StopFlag::new(),
                &(),
            );
            let (k, pn, dn) = match r.answer {
                Answer::Proven(_) => (1, 0, 0),
                Answer::Disproven => (2, 0, 0),
                Answer::Open(x) => (0, x.pn, x.dn),
            };
            println!(
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                l,
                b,
                fen::write_position(&p),
                m,
                k,
                r.nodes,
                pn,
                dn
            );
        }
        eprintln!("{l} done");
    }
}
