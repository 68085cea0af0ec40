//! The tools that the recorder really runs. They see the project and a scratch folder, and name
//! both by paths that are the same on every machine.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most lines that a read or a command shows.
const MOST_LINES: usize = 230;

/// What a tool gave.
pub(crate) struct Ran {
    /// What it said.
    pub(crate) output: String,
    /// Whether it failed.
    pub(crate) failed: bool,
}

/// Tools over the project and a scratch folder.
pub(crate) struct Tools {
    project: PathBuf,
    scratch: tempfile::TempDir,
}

impl Tools {
    pub(crate) fn new(project: &str) -> std::io::Result<Self> {
        Ok(Self { project: project.into(), scratch: tempfile::tempdir()? })
    }

    fn resolve(&self, path: &str) -> PathBuf {
        match path.strip_prefix("/tmp/scratch") {
            Some(rest) => self.scratch.path().join(rest.trim_start_matches('/')),
            None => self.project.join(path),
        }
    }

    /// Output with the scratch folder and the project under their recorded names.
    fn scrub(&self, text: &str) -> String {
        let scratch = self.scratch.path().display().to_string();
        let project = self.project.display().to_string();
        text.replace(&scratch, "/tmp/scratch").replace(&project, ".")
    }

    pub(crate) fn read(&self, path: &str) -> Ran {
        match std::fs::read_to_string(self.resolve(path)) {
            Ok(text) => Ran { output: numbered(&text), failed: false },
            Err(error) => Ran { output: format!("cannot read {path}: {error}"), failed: true },
        }
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> Ran {
        let target = self.resolve(path);
        let made = target.parent().map_or(Ok(()), std::fs::create_dir_all);
        match made.and_then(|()| std::fs::write(target, text)) {
            Ok(()) => Ran { output: format!("wrote {path}, {} bytes", text.len()), failed: false },
            Err(error) => Ran { output: format!("cannot write {path}: {error}"), failed: true },
        }
    }

    pub(crate) fn edit(&self, path: &str, old: &str, new: &str) -> Ran {
        let target = self.resolve(path);
        let text = std::fs::read_to_string(&target).unwrap_or_default();
        if !text.contains(old) {
            return Ran { output: format!("{path} does not contain the text"), failed: true };
        }
        self.write(path, &text.replacen(old, new, 1))
    }

    pub(crate) fn list(&self, path: &str) -> Ran {
        let mut names = Vec::new();
        collect(&self.resolve(path), path, &mut names);
        names.sort();
        Ran { output: names.join("\n"), failed: names.is_empty() }
    }

    pub(crate) fn grep(&self, pattern: &str, path: &str) -> Ran {
        let mut names = Vec::new();
        collect(&self.resolve(path), path, &mut names);
        names.sort();
        let mut found = String::new();
        for name in names {
            let text = std::fs::read_to_string(self.resolve(&name)).unwrap_or_default();
            for (line, content) in text.lines().enumerate() {
                if content.contains(pattern) {
                    let _ = writeln!(found, "{name}:{}: {}", line + 1, content.trim());
                }
            }
        }
        Ran { failed: found.is_empty(), output: capped(&found) }
    }

    /// Runs a command line in the scratch folder.
    pub(crate) fn bash(&self, command: &str) -> Ran {
        let ran = Command::new("sh")
            .arg("-c")
            .arg(command.replace("/tmp/scratch", &self.scratch.path().display().to_string()))
            .current_dir(self.scratch.path())
            .env("CARGO_TERM_COLOR", "never")
            .env("CARGO_TARGET_DIR", self.scratch.path().join("target"))
            .env("RUST_BACKTRACE", "0")
            .output();
        match ran {
            Ok(ran) => {
                let mut output = String::from_utf8_lossy(&ran.stdout).into_owned();
                output.push_str(&String::from_utf8_lossy(&ran.stderr));
                Ran { output: capped(&self.scrub(&output)), failed: !ran.status.success() }
            }
            Err(error) => Ran { output: error.to_string(), failed: true },
        }
    }

    /// The sizes of the files below `path`, for the chart.
    pub(crate) fn sizes(&self, path: &str) -> Vec<u64> {
        let mut names = Vec::new();
        collect(&self.resolve(path), path, &mut names);
        names.sort();
        let size =
            |name: &String| std::fs::metadata(self.resolve(name)).map_or(0, |meta| meta.len());
        names.iter().map(size).collect()
    }
}

fn collect(folder: &Path, name: &str, names: &mut Vec<String>) {
    if folder.is_file() {
        names.push(name.to_owned());
        return;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let inner = entry.file_name().to_string_lossy().into_owned();
        if inner != "target" {
            collect(&entry.path(), &format!("{name}/{inner}"), names);
        }
    }
}

fn numbered(text: &str) -> String {
    let lines = text.lines().enumerate().map(|(n, line)| format!("{:>5}\t{line}", n + 1));
    capped(&lines.collect::<Vec<_>>().join("\n"))
}

fn capped(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    match lines.get(..MOST_LINES) {
        Some(shown) => {
            format!("{}\n… {} more lines", shown.join("\n"), lines.len() - MOST_LINES)
        }
        None => text.trim_end().to_owned(),
    }
}
