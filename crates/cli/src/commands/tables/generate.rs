//! `takeme tables generate`.

use std::{
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use search::StopFlag;
use serde_json::json;
use tablebase::{DirectoryLock, ErrorKind, Made, Material, Order, Tables, Trust, has_tables};

use crate::{
    context::{Context, extend, object},
    exit::Exit,
    interrupt, memory, table_files, units,
    usage::Usage,
};

/// Makes tables of up to `men` men, or those in `only`, and verifies those that are not verified yet.
pub(super) fn run(
    men: Option<u8>,
    only: &[Material],
    force: bool,
    no_verify: bool,
    context: &mut Context,
) -> Result<Exit> {
    let stop = interrupt::watch()?;
    let order = Order {
        ruleset: context.ruleset(),
        directory: table_files::directory(context),
        materials: ordered(men, only)?,
        threads: context.threads(),
        memory_bytes: memory::for_search(context.memory_bytes()) as u64,
        again: force,
    };
    if !has_tables(order.ruleset) {
        return Err(tablebase::Error::NoTables(order.ruleset).into());
    }
    let _lock = DirectoryLock::take(&order.directory, order.ruleset)?;
    let start = Instant::now();
    let Some(sums) = make(&order, &stop, context)? else {
        context
            .progress
            .say("interrupted: the tables that were finished are kept; the same command goes on from there");
        return Ok(Exit::Interrupted);
    };
    report(&order, &sums, start.elapsed(), context)?;
    context.out.flush()?;
    if no_verify {
        return Ok(Exit::Done);
    }
    let tables = Tables::open(
        &order.directory,
        order.ruleset,
        Trust::Listed,
        table_files::cache_bytes(context),
    )?;
    let new: Vec<Material> = tables
        .listed()
        .filter(|material| order.materials.contains(material) && !tables.is_verified(material))
        .collect();
    super::verify::check(tables, &new, &stop, context)
}

fn ordered(men: Option<u8>, only: &[Material]) -> Result<Vec<Material>> {
    let most = usize::from(men.unwrap_or(4));
    if only.is_empty() {
        return Ok((2..=most).flat_map(Material::all).collect());
    }
    if let Some(larger) = only.iter().find(|material| material.men() > most) {
        let message = format!("{larger} has more than the {most} men that --men allows");
        return Err(Usage::new(message).into());
    }
    Ok(only.to_vec())
}

/// What an order came to.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    tables: u64,
    were_there: u64,
    cells: u64,
    bytes: u64,
}

impl Sums {
    fn add(&mut self, made: &Made) {
        self.tables += 1;
        self.were_there += u64::from(made.was_there);
        self.cells += made.cells;
        self.bytes += made.bytes;
    }
}

/// Makes the tables, and shows how far that has come. None if it was interrupted.
fn make(order: &Order, stop: &StopFlag, context: &Context) -> Result<Option<Sums>> {
    let mut sums = Sums::default();
    let (sender, events) = mpsc::channel();
    let all = order.materials.len();
    let result = thread::scope(|scope| {
        let making = scope.spawn(move || {
            tablebase::generate(order, stop.as_atomic(), &|made| {
                // The receiver outlives the threads.
                let _ = sender.send(*made);
            })
        });
        for made in events {
            sums.add(&made);
            context.progress.show(|| {
                format!(
                    "{} of {}: {} ({})",
                    sums.tables,
                    units::count(all as u64, "table"),
                    made.material,
                    units::seconds(made.elapsed)
                )
            });
        }
        making.join()
    });
    match result {
        Ok(Ok(())) => Ok(Some(sums)),
        Ok(Err(error)) if error.kind() == ErrorKind::Stopped => Ok(None),
        Ok(Err(error)) => Err(error.into()),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn report(order: &Order, sums: &Sums, elapsed: Duration, context: &mut Context) -> Result<()> {
    let folder = order.directory.join(order.ruleset.name());
    if context.global.json {
        let mut object = object("tables generate", order.ruleset);
        extend(
            &mut object,
            json!({
                "directory": folder.display().to_string(),
                "tables": sums.tables,
                "made": sums.tables - sums.were_there,
                "cells": sums.cells,
                "bytes": sums.bytes,
                "seconds": elapsed.as_secs_f64(),
                "peak_bytes": memory::peak_bytes(),
            }),
        );
        return context.out.object(object);
    }
    context.out.line(&format!(
        "{}: {}, {} made now ({}, {}, {}, {})",
        folder.display(),
        units::count(sums.tables, "table"),
        units::thousands(sums.tables - sums.were_there),
        order.ruleset,
        units::count(sums.cells, "cell"),
        units::bytes(sums.bytes),
        units::seconds(elapsed),
    ))
}
