//! Writing to the terminal, and failures that end the command.

use std::error::Error;
use std::io::{IsTerminal, Write};

/// Why the command could not do what was asked. (A "no" to the question asked is no failure: it is
/// `Ok(false)`.)
#[derive(Debug)]
pub enum Failure {
    /// The command was used wrongly.
    Usage { message: String, hint: Option<String> },
    /// Something outside broke.
    Outside {
        message: String,
        cause: Option<Box<dyn Error>>,
    },
}

impl Failure {
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::Usage {
            message: message.into(),
            hint: None,
        }
    }

    pub fn usage_with_hint(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure::Usage {
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    pub fn outside(message: impl Into<String>, cause: impl Into<Box<dyn Error>>) -> Self {
        Failure::Outside {
            message: message.into(),
            cause: Some(cause.into()),
        }
    }
}

/// Writes a line to standard output. A reader that has gone away (`| head`) is no error.
pub fn print(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// Writes a text that has its own line ends to standard output.
pub fn write(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Writes a line to standard error.
pub fn print_error(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Writes JSON to standard output.
pub fn print_json(value: &serde_json::Value) {
    print(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// Asks whether to go on; nobody is asked if `yes`. Without a terminal there is nobody to ask.
pub fn confirm(question: &str, yes: bool) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(Failure::usage_with_hint(
            "this has to be confirmed",
            "give `--yes`",
        ));
    }
    let mut terminal = std::io::stderr().lock();
    let _ = write!(terminal, "{question} [y/N] ").and_then(|()| terminal.flush());
    let mut answer = String::new();
    match std::io::stdin().read_line(&mut answer) {
        Ok(_) => Ok(matches!(answer.trim(), "y" | "Y" | "yes")),
        Err(error) => Err(Failure::outside("the answer cannot be read", error)),
    }
}

/// Writes kind, message, causes and hint of a failure.
pub fn print_failure(failure: &Failure) {
    let label = console::style("error:").red().bold().for_stderr();
    match failure {
        Failure::Usage { message, hint } => {
            print_error(&format!("{label} {message}"));
            if let Some(hint) = hint {
                print_error(&format!("{} {hint}", console::style("hint:").cyan().for_stderr()));
            }
        }
        Failure::Outside { message, cause } => {
            print_error(&format!("{label} {message}"));
            let mut cause: Option<&dyn Error> = cause.as_deref();
            while let Some(error) = cause {
                print_error(&format!("  caused by: {error}"));
                cause = error.source();
            }
        }
    }
}
