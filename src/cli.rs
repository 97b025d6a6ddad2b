//! The command line: what was typed, nothing else. `config` says what is meant.

mod refused;

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::refused::{Refused, read};
use crate::{
    config::budget,
    protocol::{cost::Usd, tool_mode::ToolMode},
};

/// A coding agent in the terminal, for any server that speaks chat completions.
#[derive(Debug, Parser)]
#[command(name = "mcc-tui", version, about, long_about = LONG_ABOUT, after_long_help = AFTER_HELP)]
#[command(disable_help_subcommand = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Cli {
    /// What to do. Without -p it is the first message in the full screen.
    pub prompt: Option<String>,

    /// Run one turn without a screen: answer on stdout, progress on stderr.
    ///
    /// Without PROMPT (or with `-`) the prompt is read from stdin; with it, what is piped in follows it.
    #[arg(short, long)]
    pub print: bool,

    /// What -p prints: `text` the answer, `json` one object, `stream-json` one event a line.
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, value_name = "FORMAT")]
    pub output_format: OutputFormat,

    /// Model to use, as the server names it [env: `MCC_MODEL`].
    #[arg(short, long, value_name = "NAME", global = true)]
    pub model: Option<String>,

    /// Address of the server, up to and with /v1, or `unix:/path/to/server.sock` [env: `OPENAI_BASE_URL`].
    #[arg(long, value_name = "URL", global = true)]
    pub base_url: Option<String>,

    /// Most requests in one turn (default 20).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_iterations: Option<u32>,

    /// Most tokens that the session may use, requests and answers together.
    ///
    /// At 80 % you and the model are told; at the end the turn ends with `budget_exceeded`. /new
    /// begins with the whole budget again. No budget is set unless you set it.
    #[arg(long, value_name = "N", value_parser = budget::tokens, allow_negative_numbers = true)]
    pub max_tokens: Option<u64>,

    /// Most that the session may cost, in US dollars, e.g. 0.50.
    ///
    /// By the published price of the model, or by [price] in your config file; where neither is
    /// known you are told that this budget cannot be kept.
    #[arg(long, value_name = "USD", value_parser = budget::dollars, allow_negative_numbers = true)]
    pub max_cost: Option<Usd>,

    /// Longest that the session may work, e.g. 10m, 90s, 1h30m; waiting for you does not count.
    #[arg(long, value_name = "TIME", value_parser = budget::time, allow_negative_numbers = true)]
    pub max_time: Option<Duration>,

    /// Never ask: run every command and every file change.
    #[arg(long)]
    pub yolo: bool,

    /// Never ask for this tool, e.g. `write_file`; may be given several times.
    #[arg(long, value_name = "TOOL")]
    pub allow: Vec<String>,

    /// Work in this folder instead of the current one.
    #[arg(short = 'C', long, value_name = "FOLDER")]
    pub dir: Option<PathBuf>,

    /// Play this script instead of asking a model (for demos and tests).
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,

    /// Play the built-in demo instead of asking a model: its words come from a script, the tools
    /// are real. Looks for no server.
    #[arg(long, conflicts_with_all = ["script", "model", "base_url"])]
    pub demo: bool,

    /// Leave the mouse to the terminal: its own selection works, the wheel does not scroll.
    #[arg(long)]
    pub no_mouse: bool,

    /// When the full screen ends, print the whole session as Markdown, not only the last answer.
    #[arg(long)]
    pub print_transcript: bool,

    /// How the model calls tools: `native` by the server's own calls, `text` as text for models
    /// that cannot, `auto` the first until it fails (default).
    #[arg(long, value_name = "MODE")]
    pub tools: Option<ToolMode>,

    /// Send the key over plain http to a host that is not this machine.
    #[arg(long, global = true)]
    pub allow_insecure_key: bool,

    /// What else there is to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What else there is to do than to work on a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Check a server and a model, and say which settings follow.
    #[command(long_about = DOCTOR_ABOUT, after_long_help = DOCTOR_HELP)]
    Doctor(Doctor),
}

/// `mcc-tui doctor`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Doctor {
    /// Address of the server, as for --base-url; without it the one that is set, or found here.
    pub url: Option<String>,

    /// Check calls as text, too, although native ones work.
    #[arg(long)]
    pub all: bool,

    /// Write the settings that follow into your config file; what else is in it stays.
    #[arg(long)]
    pub save: bool,

    /// Print one JSON object at the end instead of a line a check.
    #[arg(long)]
    pub json: bool,

    /// The longest that each check may take, in seconds.
    #[arg(long, value_name = "S", default_value_t = DOCTOR_LIMIT)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub timeout: u32,
}

/// Seconds that a check may take, unless it is said.
pub const DOCTOR_LIMIT: u32 = 120;

/// What a run without a screen prints on stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// The answer.
    Text,
    /// One JSON object at the end.
    Json,
    /// One JSON event a line, as it happens.
    StreamJson,
}

const LONG_ABOUT: &str = "\
A coding agent in the terminal, for any server that speaks chat completions: OpenAI, Ollama, \
LM Studio, llama.cpp, vLLM and others.

Start it in a project folder and type what you want. Reads run by themselves, file changes and \
commands ask first, and one key (Esc) stops everything. With no model set it uses one that \
Ollama, LM Studio, llama.cpp or vLLM offers on this machine; with none, the full screen plays a \
built-in demo with the real tools, and -p ends with error{config} (78). --demo plays it on purpose.";

const DOCTOR_ABOUT: &str = "\
Check a server and a model for what an agent needs of them: whether the server answers, which \
models it offers, whether answers stream, whether the model calls tools (one, several at once, as \
text), whether tokens are counted, how large the context window is, and whether an answer that is \
stopped ends. Prints the settings that follow. It sends about ten small requests.";

const DOCTOR_HELP: &str = "\
Examples:
  mcc-tui doctor                                    the server that is set, or found on this machine
  mcc-tui doctor http://localhost:11434/v1          this one
  mcc-tui doctor http://localhost:11434/v1 --model qwen2.5-coder --save
  mcc-tui doctor --json | jq .config

Each check ends with ok, no, unknown (no answer in time) or skipped. Exit code: 0 a call of a tool
worked, natively or as text; 1 the server answers, but no call worked; 75 that could not be found out
in time; else that of the failure: 75 network, timeout, server,
76 protocol, 77 key or quota, 78 settings, model, or a file that could not be saved;
2 wrong command line; 130 Ctrl-C.

To send the word doctor to the model: mcc-tui -p doctor, or mcc-tui -- doctor.";

const AFTER_HELP: &str = "\
Examples:
  mcc-tui                                   full screen; a local model, or else the demo, if none is set
  mcc-tui -p \"which tests are slow?\"        one turn, answer on stdout
  git diff | mcc-tui -p \"review this\"       what is piped in follows the prompt
  mcc-tui --base-url http://localhost:11434/v1 --model qwen2.5-coder       Ollama
  OPENAI_API_KEY=sk-... mcc-tui --model gpt-5-mini                         OpenAI
  mcc-tui doctor http://localhost:11434/v1  what a server and its model can do, and the settings
  mcc-tui --demo                            the built-in demo, whatever is set
  mcc-tui -- doctor                         the word itself as a prompt (-p doctor is one, too)

Settings, the first that is set counts:
  flag, environment (OPENAI_API_KEY, OPENAI_BASE_URL, MCC_MODEL, MCC_NO_DISCOVERY),
  .mcc-tui/config.toml in the project, $XDG_CONFIG_HOME/mcc-tui/config.toml, default.
  Keys: model, base_url, api_key_env, context_window, max_iterations,
  connect_timeout_s, idle_timeout_s, discover, tools, scheduler, quirks,
  [budget] tokens, cost (US dollars), minutes, [price] input, cached, output (your own file only),
  [shell] pass (your own file only),
  [headers] NAME = \"value, ${VARIABLE}\" (your own file only), [body] FIELD = value,
  [ui] mouse, copy_on_select, theme, motion, signs, links, width, title, progress, notify,
  [keys] \"f6\" = \"fold\" (your own file only)

Why a turn ended, and the exit code of -p:
  0 end_turn   3 max_iterations   4 budget_exceeded   6 denied   (5 loop_detected: reserved)
  7 context_overflow   8 output_limit   10 content_filter   130 abort (129 SIGHUP, 143 SIGTERM)
  error: 70 internal   75 network, timeout, rate_limit, server   76 protocol, empty_response
         77 auth, quota   78 config, model_not_found, bad_request
  2 wrong command line

In the full screen, ? on an empty prompt shows every key.";

#[cfg(test)]
mod tests;
