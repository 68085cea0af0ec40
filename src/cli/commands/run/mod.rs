//! `afterturn run`: transcripts in, report out. The main job, end to end.
//!
//! Each session is appended turn by turn; the append makes its conversation due, a worker takes
//! it from the queue, and the next turn is appended when the projection is ready.

mod drive;
mod findings;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::context::{catalog, open, policy};
use super::sessions::{Session, read_input, tell_apart};
use super::stdout_paper;
use crate::cli::args::{Global, Input, RunArgs};
use crate::cli::exit::{Exit, OrTrouble as _, Trouble};
use crate::cli::output::Output;
use crate::cli::progress::Progress;
use crate::cli::report::{DatabaseReport, RunReport, TurnTimes, UnreadInput, render};
use crate::compaction::Policy;
use crate::store::{Options, SqliteStore};
use crate::target::Target;
use crate::worker::{Setup, Turns};

use drive::{Driven, Job};

/// Drives the files and prints what was found.
pub(super) fn run(global: &Global, args: &RunArgs) -> anyhow::Result<Exit> {
    let catalog = catalog(global)?;
    let (sessions, unread) = read_all(&args.files, args)?;
    let mut jobs = Vec::new();
    for session in sessions {
        let targets = session.targets(&args.targets, &catalog)?;
        jobs.push(Job { targets: targets.into_iter().cloned().collect(), session });
    }
    let database = database(args.db.as_deref())?;
    let store = open(Path::new(&database.path), Options::default())?;
    let policy = Policy { enabled: !args.no_compact, ..policy(args.keep) };
    let turns = Arc::new(Turns::new(
        Arc::clone(&store),
        Setup { catalog: catalog.clone(), policy: policy.clone(), measure: true },
    ));
    let quiet = args.json || global.quiet || std::env::var_os("RUST_LOG").is_some();
    let driven = drive_all(&store, &turns, &jobs, args.workers, &Progress::stderr(!quiet))?;
    let report = report(&store, &policy, jobs, driven, database, unread)?;
    tell(&report, args.json)
}

/// Reads every file before anything is written. With several files one that cannot be read is
/// listed in the report; alone it is the error.
fn read_all(files: &[Input], args: &RunArgs) -> anyhow::Result<(Vec<Session>, Vec<UnreadInput>)> {
    let mut sessions = Vec::new();
    let mut unread = Vec::new();
    for file in files {
        match read_input(file, args.reading) {
            Ok(read) => sessions.extend(read),
            Err(error) if files.len() == 1 || args.reading.strict => return Err(error),
            Err(error) => unread.push(UnreadInput {
                source: file.to_string(),
                error: error.root_cause().to_string(),
            }),
        }
    }
    if sessions.is_empty() {
        let what = format!("none of {} files could be read", unread.len());
        let first = unread.first().map(|unread| unread.error.clone()).unwrap_or_default();
        return Err(anyhow::anyhow!(first).context(Trouble::new(Exit::BadInput, what)));
    }
    tell_apart(&mut sessions);
    Ok((sessions, unread))
}

/// The database that was named, else one that outlives the process, so that what the report
/// points at is there.
fn database(named: Option<&Path>) -> anyhow::Result<DatabaseReport> {
    if let Some(path) = named {
        return Ok(DatabaseReport { path: path.display().to_string(), temporary: false });
    }
    let folder: PathBuf = tempfile::Builder::new()
        .prefix("afterturn-")
        .tempdir()
        .or_trouble(|| {
            Trouble::new(Exit::Database, "cannot make a temporary database").help("give --db FILE")
        })?
        .keep();
    let path = folder.join("run.db").display().to_string();
    Ok(DatabaseReport { path, temporary: true })
}

fn drive_all(
    store: &Arc<SqliteStore>,
    turns: &Arc<Turns<SqliteStore>>,
    jobs: &[Job],
    workers: Option<u8>,
    progress: &Progress,
) -> anyhow::Result<Vec<Driven>> {
    let workers = workers.map_or_else(
        || std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
        usize::from,
    );
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(workers.clamp(1, 8))
        .build()?;
    let driven = runtime.block_on(drive::drive(store, turns, jobs, workers, progress));
    progress.finish();
    driven
}

fn report(
    store: &SqliteStore,
    policy: &Policy,
    jobs: Vec<Job>,
    driven: Vec<Driven>,
    database: DatabaseReport,
    unread: Vec<UnreadInput>,
) -> anyhow::Result<RunReport> {
    let mut conversations = Vec::new();
    let mut failed = Vec::new();
    let mut times = Vec::new();
    for (job, driven) in jobs.into_iter().zip(driven) {
        let targets: Vec<&Target> = job.targets.iter().collect();
        conversations.push(findings::conversation(store, policy, &job.session, &targets, &driven)?);
        failed.extend(driven.failed);
        times.extend(driven.times);
    }
    Ok(RunReport {
        conversations,
        turns: TurnTimes::of(times),
        database,
        compaction: policy.enabled,
        unread,
        failed,
    })
}

fn tell(report: &RunReport, json: bool) -> anyhow::Result<Exit> {
    let mut output = Output::stdout();
    if json {
        output.json(report)?;
    } else {
        output.text(&render(report, stdout_paper()))?;
    }
    output.finish()?;
    Ok(match (report.failed.is_empty(), report.unread.is_empty()) {
        (true, true) => Exit::Done,
        (true, false) => Exit::BadInput,
        (false, _) => Exit::Failed,
    })
}
