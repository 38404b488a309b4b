//! Many tasks on several threads.

use std::{
    sync::{
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    thread,
};

use search::StopFlag;

use crate::{Outcome, Settings, Snapshot, Task, prove};

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
    /// A task was answered, or ended without an answer.
    Done {
        /// Its place in the list.
        task: usize,
        /// What came of it.
        outcome: Box<Outcome>,
    },
}

/// Answers tasks in the order of the list, each on one thread, up to `threads` at a time; `settings.memory_bytes` is for all of
/// them together. `on_event` runs on the calling thread. A raised stop flag ends the running tasks, and those that have not begun
/// end at once.
///
/// # Panics
///
/// If a search panics.
pub fn prove_all(
    tasks: &[Task],
    threads: usize,
    settings: &Settings,
    stop: &StopFlag,
    mut on_event: impl FnMut(Event),
) {
    let threads = threads.clamp(1, tasks.len().max(1));
    let settings = Settings {
        memory_bytes: settings.memory_bytes / threads,
        ..*settings
    };
    let next = AtomicUsize::new(0);
    let (sender, events) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(task) = take(next, tasks) {
                    let outcome = prove(&tasks[task], &settings, stop, &|snapshot| {
                        // The receiver outlives the threads; without one nobody would miss the event.
                        let _ = sender.send(Event::Progress {
                            task,
                            snapshot: *snapshot,
                        });
                    });
                    let outcome = Box::new(outcome);
                    let _ = sender.send(Event::Done { task, outcome });
                }
            });
        }
        drop(sender);
        for event in events {
            on_event(event);
        }
    });
}

fn take(next: &AtomicUsize, tasks: &[Task]) -> Option<usize> {
    let task = next.fetch_add(1, Relaxed);
    (task < tasks.len()).then_some(task)
}
