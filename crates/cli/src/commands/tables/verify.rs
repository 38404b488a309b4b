//! `takeme tables verify`.

use std::time::Instant;

use anyhow::Result;
use search::StopFlag;
use serde_json::json;
use tablebase::{DirectoryLock, Material, Tables, Trust, hex};

use crate::{
    context::{Context, extend, object},
    exit::Exit,
    interrupt,
    table_check::{CheckedTable, TableVerdict, check_tables},
    table_files, units,
};

/// Checks the tables in `only`, or all, and notes which are accepted.
pub(super) fn run(only: &[Material], context: &mut Context) -> Result<Exit> {
    let stop = interrupt::watch()?;
    let tables = table_files::open(context, context.ruleset(), Trust::Listed)?;
    let materials = super::selected(&tables, only)?;
    let _lock = DirectoryLock::take(&table_files::directory(context), context.ruleset())?;
    check(tables, &materials, &stop, context)
}

/// Checks tables, which must stand in the order of [`Tables::listed`], and notes which are accepted.
pub(super) fn check(
    mut tables: Tables,
    materials: &[Material],
    stop: &StopFlag,
    context: &mut Context,
) -> Result<Exit> {
    let start = Instant::now();
    let reader = Tables::open(
        &table_files::directory(context),
        tables.ruleset(),
        Trust::Listed,
        table_files::cache_bytes(context),
    )?;
    let (threads, memory_bytes) = (context.threads(), context.memory_bytes());
    let mut tally = Tally::default();
    check_tables(&reader, materials, threads, memory_bytes, stop, |checked| {
        tally.take(&checked, materials.len(), &mut tables, context);
    });
    if let Some(error) = tally.failed {
        return Err(error);
    }
    let (accepted, all) = (tally.accepted, materials.len() as u64);
    if stop.is_raised() {
        let count = units::count(tally.checked, "table");
        context
            .progress
            .say(&format!("interrupted: {count} of {all} checked"));
        return Ok(Exit::Interrupted);
    }
    if !context.global.json {
        context.out.line(&format!(
            "{}: {} verified, {} not ({}, {}, {})",
            tables.folder().display(),
            units::count(accepted, "table"),
            units::thousands(all - accepted),
            tables.ruleset(),
            units::count(tally.cells, "cell"),
            units::seconds(start.elapsed()),
        ))?;
    }
    Ok(tally.worst)
}

/// What was found so far.
struct Tally {
    checked: u64,
    accepted: u64,
    cells: u64,
    worst: Exit,
    failed: Option<anyhow::Error>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            checked: 0,
            accepted: 0,
            cells: 0,
            worst: Exit::Done,
            failed: None,
        }
    }
}

impl Tally {
    fn take(
        &mut self,
        checked: &CheckedTable,
        all: usize,
        tables: &mut Tables,
        context: &mut Context,
    ) {
        self.checked += 1;
        self.cells += checked.cells;
        let accepted = matches!(checked.verdict, TableVerdict::Accepted);
        self.accepted += u64::from(accepted);
        self.worst = self.worst.worse(exit(&checked.verdict));
        let noted = tables.set_verified(&checked.material, accepted);
        let told = tell(checked, tables, context);
        if let Err(error) = noted.map_err(anyhow::Error::from).and(told) {
            self.failed.get_or_insert(error);
        }
        context.progress.show(|| {
            format!(
                "{} of {}: {} ({})",
                self.checked,
                units::count(all as u64, "table"),
                checked.material,
                units::seconds(checked.elapsed)
            )
        });
    }
}

fn exit(verdict: &TableVerdict) -> Exit {
    match verdict {
        TableVerdict::Accepted => Exit::Done,
        TableVerdict::Refused(_) | TableVerdict::Unfounded(_) => Exit::Rejected,
        TableVerdict::Damaged(error) => match Exit::of_error(error) {
            Exit::Usage => Exit::NotCovered,
            exit => exit,
        },
    }
}

/// Tells of a table: in JSON of each, else of those that are not accepted.
fn tell(checked: &CheckedTable, tables: &Tables, context: &mut Context) -> Result<()> {
    let path = tables.path(&checked.material);
    let (verdict, reason) = match &checked.verdict {
        TableVerdict::Accepted => ("verified", None),
        TableVerdict::Refused(reason) => ("rejected", Some(reason.clone())),
        TableVerdict::Unfounded(reason) => ("unfounded", Some(reason.clone())),
        TableVerdict::Damaged(error) => ("damaged", Some(format!("{error:#}"))),
    };
    if context.global.json {
        let mut object = object("tables verify", tables.ruleset());
        extend(
            &mut object,
            json!({
                "table": checked.material.to_string(),
                "file": path.display().to_string(),
                "sha256": tables.hash(&checked.material).as_ref().map(hex),
                "verdict": verdict,
                "reason": reason,
                "cells": checked.cells,
                "seconds": checked.elapsed.as_secs_f64(),
            }),
        );
        return context.progress.aside(|| {
            context.out.object(object)?;
            context.out.flush()
        });
    }
    let Some(reason) = reason else { return Ok(()) };
    let line = if reason.contains(&path.display().to_string()) {
        format!("{verdict}: {reason}")
    } else {
        format!("{}: {verdict}: {reason}", path.display())
    };
    context.progress.aside(|| {
        context.out.line(&line)?;
        context.out.flush()
    })
}
