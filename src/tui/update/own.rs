//! What a command of the user's own came to, in words for the user. Owns these words: those of the
//! result are for the model.

use crate::{
    protocol::tool::{ToolResult, ToolStatus},
    tui::{
        app::App,
        keymap::{Action, prompt::Input},
        update::moment,
    },
};

/// The summary of a command that was not run, as its program wants a terminal.
const WANTS_TERMINAL: &str = "needs a terminal";

/// The result as the user is to see it.
pub(super) fn for_user(app: &App, result: ToolResult) -> ToolResult {
    if result.status != ToolStatus::Refused || result.summary != WANTS_TERMINAL {
        return result;
    }
    let now = moment(app);
    let key = |action, usual| app.keys.label(action, now).unwrap_or(usual);
    let suspend = key(Action::Suspend, "Ctrl-Z");
    let edit = key(Action::Input(Input::Edit), "Ctrl-G");
    let program = result.text.split('`').nth(1).unwrap_or("the program");
    let text = format!(
        "It was not run: {program} wants the terminal, and mcc-tui has it. {suspend} leads to your \
         shell, where you can run it; `fg` comes back. To write the prompt in your editor: {edit}."
    );
    ToolResult { text, ..result }
}

#[cfg(test)]
mod tests {
    use crate::{
        config::KeyChoice,
        protocol::{about::About, id::CallId},
        tui::{Keys, highlight::Highlighter, theme::Theme},
    };

    use super::*;

    fn app() -> App {
        let about = About {
            model: "m".into(),
            place: "here".into(),
            scripted: false,
            context_window: None,
        };
        App::new(about, String::new(), Theme::plain(), Highlighter::off())
    }

    fn refused(summary: &str) -> ToolResult {
        let text = "`vim` as it is called here needs a terminal. Change files with edit_file.";
        ToolResult::new(CallId("a".into()), ToolStatus::Refused, text, summary)
    }

    #[test]
    fn a_program_that_wants_the_terminal_is_told_to_the_user_with_the_ways_that_there_are() {
        let told = for_user(&app(), refused("needs a terminal"));
        assert!(told.text.starts_with("It was not run: vim wants the terminal"), "{}", told.text);
        for words in ["Ctrl-Z leads to your shell", "`fg` comes back", "Ctrl-G"] {
            assert!(told.text.contains(words), "{}", told.text);
        }
        assert!(!told.text.contains("edit_file"), "{}", told.text);
        let other = for_user(&app(), refused("command too long"));
        assert_eq!(other.text, refused("").text);
    }

    #[test]
    fn the_keys_are_named_as_the_user_has_bound_them() {
        let mut app = app();
        let choice = KeyChoice {
            key: "ctrl-z".into(),
            action: "redraw".into(),
            path: "config.toml".into(),
            line: None,
        };
        let again = KeyChoice { key: "f6".into(), action: "suspend".into(), ..choice.clone() };
        app.keys = Keys::with(&[choice, again]).unwrap();
        let told = for_user(&app, refused("needs a terminal"));
        assert!(told.text.contains("F6 leads to your shell"), "{}", told.text);
    }
}
