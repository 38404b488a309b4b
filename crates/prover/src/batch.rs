//! Many tasks on several threads.
//!
//! Each thread takes the next task of the list and works on it to its end; so there are as many lines under way as threads, or as
//! memory has room for. A thread that has no task to take helps the line that has the fewest: the line's manager has a job for it
//! as well. Memory is divided among the lines under way; when fewer are left than memory was divided for, each gets more.

use std::sync::{
    Arc, Condvar, Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering::Relaxed},
    mpsc,
};

use rayon::ThreadPoolBuilder;
use search::{StopFlag, Workspace};

use crate::{
    Checkpoint, Outcome, Resumed, Settings, Snapshot, Task,
    schedule::{Line, Next, Teller},
};

/// Memory with which a line of some length can be proved: lines are not searched side by side if each would have less.
const LEAST_LINE_BYTES: usize = 40 << 20;

/// What happens while tasks are answered.
#[derive(Debug)]
pub enum Event {
    /// A task is being worked on.
    Progress {
        /// Its place in the list.
        task: usize,
        /// How it stands.
        snapshot: Snapshot,
    },
    /// A task goes on from checkpoints.
    Resumed {
        /// Its place in the list.
        task: usize,
        /// From where: one for each side that had a checkpoint.
        from: Vec<Resumed>,
    },
    /// What is needed to go on later; to be written soon, as a whole. Until that is dropped the task makes no other.
    Checkpoint {
        /// Its place in the list.
        task: usize,
        /// One for each side in which something was searched.
        checkpoints: Vec<Checkpoint>,
    },
    /// A task was answered, or ended without an answer.
    Done {
        /// Its place in the list.
        task: usize,
        /// What came of it.
        outcome: Box<Outcome>,
    },
}

/// Answers tasks in the order of the list with `threads` workers; `settings.memory_bytes` is for all of them together.
/// `on_event` runs on the calling thread. A raised stop flag ends the running tasks, and those that have not begun end at once.
///
/// Tasks are answered side by side as far as threads and memory go. Threads without a task of their own help others: then, and so with any
/// number of threads but one, nodes and proofs may differ from run to run. With one thread each task is answered just as
/// [`crate::prove`] does it.
///
/// # Panics
///
/// If a search panics, or the system has no more threads.
pub fn prove_all(
    tasks: &[Task],
    threads: usize,
    settings: &Settings,
    stop: &StopFlag,
    mut on_event: impl FnMut(Event),
) {
    if tasks.is_empty() {
        return;
    }
    let threads = threads.max(1);
    let lines = lines_at_once(tasks.len(), threads, settings.memory_bytes);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.expect("the system has threads");
    let (sender, events) = mpsc::channel();
    let shared = Shared {
        tasks,
        settings,
        stop,
        lines,
        line_bytes: AtomicUsize::new(line_bytes(settings.memory_bytes, lines, tasks.len())),
        board: Mutex::default(),
        taken: Condvar::new(),
    };
    let mut left = tasks.len();
    pool.in_place_scope(|scope| {
        for _ in 0..threads {
            let (sender, shared) = (sender.clone(), &shared);
            scope.spawn(move |_| shared.work(&sender));
        }
        drop(sender);
        for event in events {
            let (ends, is_kept) = match &event {
                Event::Done { outcome, .. } => (true, keeps_memory(outcome)),
                _ => (false, false),
            };
            on_event(event);
            if ends {
                // Only now is all gone that the line has found.
                left -= 1;
                lock(&shared.board).untaken -= usize::from(is_kept);
                shared.taken.notify_all();
                let bytes = line_bytes(settings.memory_bytes, lines, left);
                shared.line_bytes.store(bytes, Relaxed);
            }
        }
    });
}

/// How many lines are searched side by side: as many as there are threads, but not so many that each would have too little memory. The
/// other threads help.
fn lines_at_once(tasks: usize, threads: usize, memory_bytes: usize) -> usize {
    let room = memory_bytes / LEAST_LINE_BYTES;
    tasks.min(threads).min(room).max(1)
}

/// What a line may use if so many are searched side by side at most, and so many have not ended.
fn line_bytes(memory_bytes: usize, lines: usize, left: usize) -> usize {
    memory_bytes / lines.min(left).max(1)
}

/// Whether an outcome holds tables and logs, to be written.
fn keeps_memory(outcome: &Outcome) -> bool {
    !outcome.checkpoints.is_empty()
}

/// A line under way.
struct Open<'a> {
    task: usize,
    /// Nobody needs the line any more when its outcome was told.
    line: Mutex<Option<Line<'a>>>,
    /// A job of the line has ended.
    landed: Condvar,
}

/// Who works on what.
#[derive(Default)]
struct Board<'a> {
    /// The task to be taken next.
    next: usize,
    /// Lines under way, each with the number of its workers.
    open: Vec<(Arc<Open<'a>>, usize)>,
    /// Lines that have ended and whose outcomes keep their memory until somebody has taken them.
    untaken: usize,
}

/// What the threads share.
struct Shared<'a> {
    tasks: &'a [Task],
    settings: &'a Settings,
    stop: &'a StopFlag,
    /// Lines side by side at most.
    lines: usize,
    /// What each of them may use.
    line_bytes: AtomicUsize,
    board: Mutex<Board<'a>>,
    /// An outcome was taken.
    taken: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .expect("no thread panics while it holds the lock")
}

impl<'a> Shared<'a> {
    /// One thread's work, until no line is left.
    fn work(&self, events: &mpsc::Sender<Event>) {
        let mut workspace = Workspace::default();
        while let Some(open) = self.take(events) {
            let outcome = self.work_on(&open, &mut workspace, events);
            let mut board = lock(&self.board);
            if let Some(outcome) = outcome {
                board.open.retain(|(other, _)| other.task != open.task);
                board.untaken += usize::from(keeps_memory(&outcome));
                // The receiver outlives the threads; without one nobody would miss the event.
                let _ = events.send(Event::Done {
                    task: open.task,
                    outcome: Box::new(outcome),
                });
            }
        }
    }

    /// A line to work on: a new one if there is one, else the one with the fewest workers.
    fn take(&self, events: &mpsc::Sender<Event>) -> Option<Arc<Open<'a>>> {
        let mut board = lock(&self.board);
        let has_next =
            |board: &Board<'_>| board.open.len() < self.lines && board.next < self.tasks.len();
        // The next line needs the memory of one that has ended.
        while has_next(&board) && board.open.len() + board.untaken >= self.lines {
            board = self
                .taken
                .wait(board)
                .expect("no thread panics while it holds the lock");
        }
        if has_next(&board) {
            let task = &self.tasks[board.next];
            let open = Arc::new(Open {
                task: board.next,
                line: Mutex::new(None),
                landed: Condvar::new(),
            });
            // Whoever wants to help waits until the line is made: that may take a while.
            let mut line = lock(&open.line);
            board.next += 1;
            board.open.push((Arc::clone(&open), 1));
            drop(board);
            let made = line.insert(Line::new(task, &self.line_settings()));
            let from = made.resumed().to_vec();
            drop(line);
            if !from.is_empty() {
                let task = open.task;
                let _ = events.send(Event::Resumed { task, from });
            }
            return Some(open);
        }
        let (open, workers) = board.open.iter_mut().min_by_key(|(_, workers)| *workers)?;
        *workers += 1;
        Some(Arc::clone(open))
    }

    /// The limits of a line that begins now.
    fn line_settings(&self) -> Settings {
        Settings {
            memory_bytes: self.line_bytes.load(Relaxed),
            ..*self.settings
        }
    }

    /// Does jobs of a line until it ends. The outcome, for the thread that finds the line at its end.
    fn work_on(
        &self,
        open: &Open<'a>,
        workspace: &mut Workspace,
        events: &mpsc::Sender<Event>,
    ) -> Option<Outcome> {
        let task = open.task;
        let watch = |snapshot: &Snapshot| {
            let snapshot = *snapshot;
            let _ = events.send(Event::Progress { task, snapshot });
        };
        let teller = Teller::new(&watch);
        let mut held = lock(&open.line);
        loop {
            let line = held.as_mut()?;
            if let Some(checkpoints) = line.checkpoints_due() {
                let _ = events.send(Event::Checkpoint { task, checkpoints });
            }
            line.set_memory(self.line_bytes.load(Relaxed));
            match line.next(self.stop) {
                Next::Job(work) => {
                    let snapshot = line.snapshot(&work);
                    drop(held);
                    let finding = work.run(workspace, self.stop, &|nodes| {
                        teller.tell(snapshot, nodes);
                    });
                    teller.tell(snapshot, finding.report.nodes);
                    held = lock(&open.line);
                    let line = held.as_mut().expect("a line waits for its jobs");
                    line.land(&work, &finding);
                    open.landed.notify_all();
                }
                Next::Wait => {
                    held = open
                        .landed
                        .wait(held)
                        .expect("no thread panics while it holds the lock");
                }
                Next::End => {
                    let outcome = line.conclude(self.stop);
                    *held = None;
                    open.landed.notify_all();
                    return Some(outcome);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
