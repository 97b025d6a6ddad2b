//! The composition root: puts settings, provider, tools, engine and front end together.
//!
//! Owns the start and the end of the program. The only file that knows every layer.

mod commands;
mod desk;
mod doctor;
mod fault;
mod lazy;
mod loader;
mod log;
mod stdin;

use std::{
    io::{IsTerminal, Write},
    path::Path,
    sync::Arc,
    time::Duration,
};

use color_eyre::eyre::{Result, WrapErr};

use crate::{
    agent::{Agent, Limits, jitter},
    cli::{Cli, OutputFormat},
    config::{self, Config, ModelChoice, Search},
    headless,
    link::{EventSender, FrontEnd, link},
    permission::{Mode, Policy},
    protocol::{about::About, event::StreamEvent, exit::ExitReason},
    provider::{
        Provider,
        scripted::{Script, Scripted},
    },
    session::{Session, budget::Spending, prompt},
    tools::{
        ToolContext, registry::Registry, run_command::RunCommand, seen::Seen,
        shell_kill::ShellKill, shell_output::ShellOutput, workspace::Workspace,
    },
    tui,
};
use lazy::Lazy;
use loader::{AGAIN, Loader, UNUSABLE, flags};

/// How long the end of the program waits for the engine to clean up.
const CLEAN_UP: Duration = Duration::from_secs(4);

/// Exit code of a command line that makes no sense.
const USAGE: u8 = 2;

const DEMO_NOTICE: &str = "\
This is the built-in demo: the words come from a script, but the tools are real and work in this \
folder. Type anything to see it run. For a real model set OPENAI_API_KEY and MCC_MODEL, or start \
with --base-url http://localhost:11434/v1 --model NAME (Ollama; LM Studio: port 1234).";

/// Runs the program; gives its exit code.
///
/// # Errors
/// What nobody can repair by using the program differently.
pub fn run(mut cli: Cli) -> Result<u8> {
    let (panic_hook, eyre_hook) =
        color_eyre::config::HookBuilder::default().display_env_section(false).into_hooks();
    eyre_hook.install()?;
    install_panic_hook(panic_hook);
    log::start(config::state_dir(&env));
    match doctor::asked(&mut cli) {
        Ok(Some(asked)) => return doctor::run(&cli, asked),
        Ok(None) => {}
        Err(usage) => return Ok(complain(&usage)),
    }
    let task = match Task::of(&cli) {
        Ok(task) => task,
        Err(usage) => return Ok(complain(&usage)),
    };
    let setup = match Setup::of(cli, &task) {
        Ok(setup) => setup,
        Err(usage) => return Ok(complain(&usage)),
    };
    let code = to_its_end(work(setup, task));
    crate::tools::process::settle(CLEAN_UP);
    code
}

/// Does this on a runtime of its own.
fn to_its_end(work: impl Future<Output = Result<u8>>) -> Result<u8> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .wrap_err("cannot start the runtime")?;
    let code = runtime.block_on(work);
    // A file operation that hangs, or a write to somebody who does not read, must not keep the
    // program from ending.
    runtime.shutdown_timeout(Duration::from_millis(100));
    code
}

/// What is to be done.
enum Task {
    Screen { prompt: Option<String> },
    Print { prompt: String, format: headless::Format },
}

impl Task {
    fn of(cli: &Cli) -> Result<Self, String> {
        let stdin_is_terminal = std::io::stdin().is_terminal();
        let given = cli.prompt.clone().filter(|prompt| prompt != "-");
        let format = match cli.output_format {
            OutputFormat::Text if std::io::stdout().is_terminal() => headless::Format::Live,
            OutputFormat::Text => headless::Format::Text,
            OutputFormat::Json => headless::Format::Json,
            OutputFormat::StreamJson => headless::Format::StreamJson,
        };
        if !cli.print && stdin_is_terminal && cli.prompt.as_deref() != Some("-") {
            if cli.output_format != OutputFormat::Text {
                return Err("--output-format goes with -p: mcc-tui -p \"what to do\" …".to_owned());
            }
            return screen(given);
        }
        if cli.print_transcript {
            return Err("--print-transcript goes with the full screen; -p prints the answer, and \
                        with --output-format stream-json all that happens"
                .to_owned());
        }
        let piped = match given {
            Some(_) if cli.print && !stdin::waits() => String::new(),
            _ => stdin::prompt()?,
        };
        let prompt = [given.unwrap_or_default(), piped].join("\n\n").trim().to_owned();
        if !prompt.trim().is_empty() {
            return Ok(Self::Print { prompt, format });
        }
        Err(if cli.print {
            "-p needs a prompt: mcc-tui -p \"what to do\", or the prompt on stdin".to_owned()
        } else {
            "stdin is not a terminal, so there is no full screen. \
             Run one turn without it: mcc-tui -p \"what to do\""
                .to_owned()
        })
    }
}

fn screen(prompt: Option<String>) -> Result<Task, String> {
    if !std::io::stdout().is_terminal() {
        return Err("stdout is not a terminal, so there is no full screen. \
                    Run one turn without it: mcc-tui -p \"what to do\""
            .to_owned());
    }
    if env("TERM").is_some_and(|term| term == "dumb") {
        return Err("TERM=dumb: this terminal cannot show a full screen. \
                    Set TERM, or run one turn without it: mcc-tui -p \"what to do\""
            .to_owned());
    }
    Ok(Task::Screen { prompt })
}

/// Everything that was decided before anything runs.
struct Setup {
    cli: Cli,
    workspace: Workspace,
    provider: Arc<dyn Provider>,
    /// The provider as what it is, unless it is a script.
    lazy: Option<Arc<Lazy>>,
    registry: Registry,
    config: Config,
    notices: Vec<String>,
}

impl Setup {
    fn of(cli: Cli, task: &Task) -> Result<Self, String> {
        let folder = match &cli.dir {
            Some(dir) => dir.clone(),
            None => std::env::current_dir()
                .map_err(|error| format!("the current folder cannot be used: {error}"))?,
        };
        let workspace = Workspace::open(&folder)
            .map_err(|error| format!("cannot work in {}: {error}", folder.display()))?;
        let registry = Registry::files()
            .with(Arc::new(RunCommand))
            .with(Arc::new(ShellOutput))
            .with(Arc::new(ShellKill));
        check_allowed(&cli.allow, &registry)?;
        let loader = Loader { flags: flags(&cli), root: workspace.root().to_owned() };
        let loaded = loader.load();
        let config = loaded.clone().unwrap_or_else(|_| Config::defaults(&loader.flags));
        let is_screen = matches!(task, Task::Screen { .. });
        let unset = cli.script.is_none() && config.model == ModelChoice::Unset;
        let mut notices = Vec::new();
        if let Err(error) = &loaded {
            if is_screen {
                notices.push(format!("{UNUSABLE} {error} {}", loader::hint(error, AGAIN)));
            } else if cli.script.is_some() || cli.demo {
                notices.push(format!("{UNUSABLE} {error} The script runs without them."));
            }
            // Without either, the one turn ends with what is wrong.
        }
        let is_left = is_screen && loaded.is_ok() && unset && config.search == Search::Off;
        if cli.demo || is_left {
            notices.push(DEMO_NOTICE.to_owned());
        }
        let (provider, lazy) = provider(&cli, loader, loaded.ok().as_ref(), workspace.root())?;
        let provider = fault::provider(provider);
        Ok(Self { cli, workspace, provider, lazy, registry, config, notices })
    }
}

fn check_allowed(names: &[String], registry: &Registry) -> Result<(), String> {
    for name in names {
        if registry.resolve(name).is_none() {
            let known: Vec<_> = registry.specs().iter().map(|spec| spec.name.clone()).collect();
            return Err(format!("--allow {name}: no such tool. Tools: {}", known.join(", ")));
        }
    }
    Ok(())
}

/// Who answers; as what it is, too, unless that is a script.
type Answering = (Arc<dyn Provider>, Option<Arc<Lazy>>);

fn provider(
    cli: &Cli,
    loader: Loader,
    loaded: Option<&Config>,
    root: &Path,
) -> Result<Answering, String> {
    if let Some(path) = &cli.script {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("--script {}: {error}", path.display()))?;
        let script = Script::parse(&text, &path.display().to_string())
            .map_err(|error| format!("{}\n{}", error.message, error.hint))?;
        return Ok((Arc::new(Scripted::new(script, root)), None));
    }
    if cli.demo {
        let demo = Script::demo().map_err(|error| error.message)?;
        return Ok((Arc::new(Scripted::new(demo, root)), None));
    }
    let lazy = Arc::new(Lazy::new(loader, loaded, root).map_err(|error| error.message)?);
    Ok((Arc::clone(&lazy) as Arc<dyn Provider>, Some(lazy)))
}

async fn work(mut setup: Setup, task: Task) -> Result<u8> {
    let (front, end) = link();
    if let Some(lazy) = setup.lazy.take() {
        // The first frame does not wait for the search; a turn without a screen may as well.
        if matches!(task, Task::Print { .. }) {
            lazy.insist();
            lazy.search().await;
            setup.notices.extend(lazy.take_news().unwrap_or_default().texts);
        } else {
            lazy.attend();
        }
        drop(tokio::spawn(tell(lazy, end.events())));
    }
    let about = setup.provider.about();
    let interactive = matches!(task, Task::Screen { .. });
    let engine = tokio::spawn(engine(&setup, interactive, about.clone())?.run(end));
    let code = match task {
        Task::Screen { prompt } => Box::pin(full_screen(front, setup, about, prompt)).await,
        Task::Print { prompt, format } => {
            let notices = setup.notices.clone();
            print(front, headless::Job { prompt, format, about, notices }).await
        }
    };
    // The front end is gone by now: the engine ends, and with it every process it started.
    let _in_time = tokio::time::timeout(CLEAN_UP, engine).await.is_ok();
    code
}

/// Looks for a model if none is set, and tells the front end who answers, then and later.
async fn tell(lazy: Arc<Lazy>, events: EventSender) {
    lazy.search().await;
    loop {
        let news = lazy.news().await;
        let known = StreamEvent::ModelChosen { about: lazy.about() };
        let notices = news.texts.into_iter().map(|text| StreamEvent::Notice { text });
        let choose = || StreamEvent::ModelsListed { servers: lazy.lists(), choose: true };
        let lists = news.choose.then(choose);
        for event in [known].into_iter().chain(notices).chain(lists) {
            if events.send(event).await.is_err() {
                return;
            }
        }
    }
}

fn engine(setup: &Setup, interactive: bool, about: About) -> Result<Agent> {
    let canonical = |name: &String| setup.registry.resolve(name).map(|tool| tool.spec().name);
    let mode = if setup.cli.yolo { Mode::Yolo } else { Mode::Ask };
    Ok(Agent {
        provider: Arc::clone(&setup.provider),
        registry: setup.registry.clone(),
        context: ToolContext {
            workspace: setup.workspace.clone(),
            seen: Seen::default(),
            processes: commands::processes(&setup.config)?,
        },
        policy: Policy::new(mode, setup.cli.allow.iter().filter_map(canonical)),
        limits: Limits {
            max_iterations: setup.config.max_iterations,
            interactive,
            scheduler: setup.config.scheduler,
        },
        session: Session::new(prompt::instructions()).within(setup.config.budgets),
        told: Some(about),
        random: jitter,
    })
}

async fn full_screen(
    front: FrontEnd,
    setup: Setup,
    about: About,
    prompt: Option<String>,
) -> Result<u8> {
    let (keys, fault) = tui::Keys::or_usual(&setup.config.keys);
    let start = tui::Start {
        about,
        folder: desk::folder_words(setup.workspace.root()),
        root: setup.workspace.root().to_owned(),
        settings: config::user_file(&env)
            .map_or_else(String::new, |file| desk::folder_words(&file)),
        prompt,
        notices: setup.notices.into_iter().chain(fault).collect(),
        yolo: setup.cli.yolo,
        mouse: setup.config.mouse,
        spent: Spending::new(setup.config.budgets).spent(),
        desk: desk::desk(setup.workspace.clone()),
        print_transcript: setup.cli.print_transcript,
        copy_on_select: setup.config.copy_on_select,
        ui: setup.config.ui,
        keys,
        terminal: tui::terminal::Facts::of(&env),
    };
    Box::pin(tui::run(front, start)).await.wrap_err("the terminal cannot be used")
}

async fn print(front: FrontEnd, job: headless::Job) -> Result<u8> {
    let reason: ExitReason = headless::run(front, job, tokio::io::stdout(), tokio::io::stderr())
        .await
        .wrap_err("signals cannot be heard")?;
    Ok(reason.exit_code())
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Says what is wrong with the command line or the place it was given in.
fn complain(what: &str) -> u8 {
    let what = crate::text::sanitize::sanitize(what);
    let _told = writeln!(std::io::stderr(), "mcc-tui: {what}").is_ok();
    USAGE
}

/// The screen's own panic gives the terminal back and is shown; one of a task goes to the log,
/// as the screen goes on and shows what became of the task.
fn install_panic_hook(hook: color_eyre::config::PanicHook) {
    std::panic::set_hook(Box::new(move |panic| {
        let on_main = std::thread::current().name() == Some("main");
        tracing::error!(%panic, backtrace = %std::backtrace::Backtrace::force_capture(), "panic");
        if on_main {
            tui::screen::leave();
            let _told = writeln!(std::io::stderr(), "{}", hook.panic_report(panic)).is_ok();
        }
    }));
}
