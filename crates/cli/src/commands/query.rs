//! `takeme query`: what the database says.

use anyhow::Result;
use proof::{Claim, Plies};
use prover::Endgames;
use rules::{Color, Move};
use serde_json::{Value, json};
use store::{Access, Basis, Store};

use crate::{
    answer::{Answer, Source, Status, plural_plies},
    args::Query,
    context::{Context, name_or_null},
    exit::Exit,
    lookup::{Finding, Lookup, Proved, RejectedProof, Settled, proof_of, without_database},
    question::{self, Question},
    table_files, units, walk,
};

/// The positions of a strategy are counted up to here, which takes a few milliseconds.
const MAX_COUNTED: u64 = 2_000;

pub(crate) fn run(args: &Query, context: &mut Context) -> Result<Exit> {
    let start = question::start(args.positions.fen.as_deref(), context)?;
    let questions = question::at_least_one(&args.positions, &start)?;
    let store = match context.open(Access::Read) {
        Ok(store) => store,
        Err(error) if is_missing(&error) => {
            return run_without_database(args, &questions, context)?.ok_or(error);
        }
        Err(error) => return Err(error),
    };
    let (endgames, basis) = table_files::at_hand(&store, context, context.ruleset())?;
    let mut lookup = Lookup::new(&store, context.ruleset(), basis, &endgames);
    let known = (&endgames, basis);
    let mut worst = Exit::Done;
    for question in &questions {
        let finding = lookup.find(question.position())?;
        if let Some(error) = rejection(question, &finding) {
            context.progress.error(&error.to_string());
            worst = worst.worse(Exit::Rejected);
        }
        let answer = answer(&store, question, finding, known)?;
        worst = worst.worse(answer.status.exit());
        let replies = args.replies.then(|| {
            replies(question, &endgames, |next| {
                let finding = lookup.find(next.position())?;
                self::answer(&store, next, finding, known)
            })
        });
        print(context, question, &answer, replies.transpose()?.as_deref())?;
    }
    Ok(worst)
}

fn is_missing(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(store::Error::NotFound(_)))
}

/// Answers by the rules and the tables alone. None, and nothing is printed, if they do not answer each question.
fn run_without_database(
    args: &Query,
    questions: &[Question],
    context: &mut Context,
) -> Result<Option<Exit>> {
    let endgames = table_files::endgames(context, context.ruleset())?;
    let find = |question: &Question| {
        let finding = without_database(question.position(), question.ruleset(), &endgames)?;
        anyhow::Ok(finding.as_ref().and_then(answer_of_rules))
    };
    let mut answers = Vec::new();
    for question in questions {
        let Some(answer) = find(question)? else {
            return Ok(None);
        };
        answers.push(answer);
    }
    let mut worst = Exit::Done;
    for (question, answer) in questions.iter().zip(&answers) {
        worst = worst.worse(answer.status.exit());
        let replies = args.replies.then(|| {
            let unknown = || Answer::without_winner(Status::Unknown, Source::Database);
            replies(question, &endgames, |next| {
                Ok(find(next)?.unwrap_or_else(unknown))
            })
        });
        print(context, question, answer, replies.transpose()?.as_deref())?;
    }
    Ok(Some(worst))
}

/// The answer that a finding amounts to for which no proof is needed.
fn answer_of_rules(finding: &Finding) -> Option<Answer> {
    match finding {
        Finding::Over(winner) => Some(Answer::game_over(*winner)),
        Finding::Tabled(tabled) => Some(Answer::tabled(tabled)),
        Finding::Proved(_) | Finding::Open | Finding::Unknown => None,
    }
}

fn rejection(question: &Question, finding: &Finding) -> Option<RejectedProof> {
    match finding {
        Finding::Proved(proved) => {
            let verdict = proved.rejection()?;
            Some(RejectedProof::new(question, verdict))
        }
        _ => None,
    }
}

/// The answer that a finding amounts to, with the positions counted if nobody has yet.
pub(crate) fn answer(
    store: &Store,
    question: &Question,
    finding: Finding,
    known: (&Endgames, Basis),
) -> Result<Answer> {
    Ok(match finding {
        Finding::Over(winner) => Answer::game_over(winner),
        Finding::Tabled(tabled) => Answer::tabled(&tabled),
        Finding::Open => Answer::without_winner(Status::Open, Source::Database),
        Finding::Unknown if store.is_searched(question.position(), question.ruleset())? => Answer {
            remark: Some("a search of it has not ended".to_owned()),
            ..Answer::without_winner(Status::Open, Source::Database)
        },
        Finding::Unknown => Answer::without_winner(Status::Unknown, Source::Database),
        Finding::Proved(proved) if proved.rejection().is_some() => Answer::rejected(),
        Finding::Proved(proved) => Answer {
            status: Status::Proved,
            winner: Some(proved.winner),
            mv: proved.mv,
            plies: Some(proved.plies),
            positions: positions(store, question, &proved, known)?,
            source: if proved.by_rules {
                Source::GameOver
            } else {
                Source::Database
            },
            verified: proved.is_verified(),
            remark: None,
        },
    })
}

fn positions(
    store: &Store,
    question: &Question,
    proved: &Proved,
    known: (&Endgames, Basis),
) -> Result<Option<u64>> {
    if let Some(claim) = &proved.claim {
        return Ok(Some(claim.positions));
    }
    let claim = Claim {
        ruleset: question.ruleset(),
        root: *question.position(),
        winner: proved.winner,
    };
    // Part of another proof: of one that was rejected the whole is looked at.
    let (endgames, basis) = known;
    let settled = |claim| Settled::stored(claim, basis);
    if !proved.by_rules && store.any_rejected(claim.ruleset, claim.winner, basis)? {
        return Ok(Some(
            proof_of(store, &settled(claim), endgames)?.positions(),
        ));
    }
    let mut counted = 0;
    // The root's move may be known by its replies only.
    let Some(root) = proved.mv else {
        walk::positions(store, &settled(claim), endgames, |_, _| {
            counted += 1;
            Ok(counted <= MAX_COUNTED)
        })?;
        return Ok((counted <= MAX_COUNTED).then_some(counted));
    };
    let below = Claim {
        root: claim.root.after(root, claim.ruleset),
        ..claim
    };
    let mut again = false;
    walk::positions(store, &settled(below), endgames, |position, _| {
        again |= *position == claim.root;
        counted += 1;
        Ok(counted <= MAX_COUNTED)
    })?;
    Ok((counted <= MAX_COUNTED).then_some(counted + u64::from(!again)))
}

/// What is known after one of the moves.
struct Reply {
    mv: Move,
    status: Status,
    winner: Option<Color>,
    plies: Option<Plies>,
    positions: Option<u64>,
}

/// What `answer` knows after each legal move.
fn replies(
    question: &Question,
    endgames: &Endgames,
    mut answer: impl FnMut(&Question) -> Result<Answer>,
) -> Result<Vec<Reply>> {
    // A table knows which are the best; else the order is the generator's.
    let tabled = endgames
        .tables()
        .map(|tables| tables.moves(question.position()));
    let moves: Vec<Move> = match tabled.transpose()?.flatten() {
        Some(ranked) => ranked.into_iter().map(|(mv, _)| mv).collect(),
        None => question.game.legal_moves().into_iter().collect(),
    };
    let mut replies = Vec::new();
    for mv in moves {
        let after = question.position().after(mv, question.ruleset());
        let answer = answer(&Question::of_position(&after, question.ruleset()))?;
        replies.push(Reply {
            mv,
            status: answer.status,
            winner: answer.winner,
            plies: answer.plies,
            positions: answer.positions,
        });
    }
    Ok(replies)
}

fn print(
    context: &mut Context,
    question: &Question,
    answer: &Answer,
    replies: Option<&[Reply]>,
) -> Result<()> {
    if context.global.json {
        let mut object = answer.object("query", question);
        if let Some(replies) = replies {
            let rows: Vec<Value> = replies.iter().map(|reply| row(question, reply)).collect();
            object.insert("replies".to_owned(), rows.into());
        }
        return context.out.object(object);
    }
    context.out.line(&answer.sentence(question, None))?;
    for reply in replies.into_iter().flatten() {
        context
            .out
            .line(&format!("  {}", sentence(question, reply)))?;
    }
    Ok(())
}

fn row(question: &Question, reply: &Reply) -> Value {
    json!({
        "move": reply.mv.to_string(),
        "move_san": question.san(reply.mv),
        "status": reply.status.name(),
        "winner": name_or_null(reply.winner),
        "plies": reply.plies.map(|plies| plies.0),
        "positions": reply.positions,
    })
}

fn sentence(question: &Question, reply: &Reply) -> String {
    let mut facts = vec![match reply.winner {
        Some(winner) => format!("{winner} wins"),
        None if reply.status == Status::Disproved => "drawn".to_owned(),
        None => reply.status.name().to_owned(),
    }];
    facts.extend(
        reply
            .plies
            .map(|plies| format!("{} at most", plural_plies(plies))),
    );
    facts.extend(
        reply
            .positions
            .map(|positions| units::count(positions, "position")),
    );
    format!("{}: {}", question.numbered(reply.mv), facts.join(", "))
}
