//! What a model is told about the protocol of labels, and how it is answered in it.
//!
//! Owns the words of the prompt section, of an observation, and of the reminders. Must not know
//! how a reply is read.
//!
//! Invariant: no line of an observation but its first begins at the margin, so nothing that a
//! tool printed can be read as a label; what the prompt shows as a call is read as that call.

use std::fmt::Write as _;

use super::{
    react::{Outcome, Reason},
    shape::{Parameter, Tool},
};
use crate::protocol::tool::ToolSpec;

/// The word at which a server should stop a reply, if it takes such words.
pub const STOP: &str = "\nObservation:";

/// What a model is told, once, after a reply that is only thought.
pub const REMINDER: &str = "Observation: Nothing was done, because your reply has neither an \
                            action nor an answer.\n Call a tool with a line that begins with \
                            `Action:`, or end with a line that begins with `Answer:`.";

const FORMAT: &str = "\
You cannot call tools directly. Write plain text in this format instead:

Thought: one or two sentences on what to do next
Action: tool_name('first argument', second='another')

Then stop. The result comes back as a message that begins with `Observation:`; never write that \
yourself. Write one action in a reply, and repeat Thought and Action until the work is done. \
Then write:

Thought: why the work is done
Answer: what the user gets to read
";

const BODY: &str = "\
Long text does not go into the brackets: leave out the one argument that it is for, and put the \
text into a block right below the call. The fence of the block must be longer than any inside:
";

/// The section of the system prompt for a model without tool calls of its own.
#[must_use]
pub fn section(tools: &[ToolSpec]) -> String {
    let shapes: Vec<Tool> = tools.iter().map(Tool::new).collect();
    let mut text = FORMAT.to_owned();
    if !tools.is_empty() {
        text.push_str(
            "\nTools, with their arguments in order; `?` means that it can be left out:\n",
        );
    }
    for (spec, shape) in tools.iter().zip(&shapes) {
        let description = spec.description.split_whitespace().collect::<Vec<_>>().join(" ");
        add_line(&mut text, &format!("- {}: {description}", signature(shape)));
    }
    if let Some(example) = shapes.iter().find_map(simple_example) {
        text.push_str("\nExample:\n\n");
        add_line(&mut text, "Thought: I need to see what is there first.");
        add_line(&mut text, &format!("Action: {example}"));
    }
    if let Some(example) = shapes.iter().find_map(body_example) {
        let _written = write!(text, "\n{BODY}\n{example}\n");
    }
    text
}

/// A tool's result as the message that answers its action.
#[must_use]
pub fn observation(text: &str) -> String {
    let text = text.trim_end();
    let mut lines = text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']);
    let mut told = "Observation:".to_owned();
    let first = lines.next().unwrap_or("");
    if !first.is_empty() {
        told.push(' ');
        told.push_str(first);
    }
    for line in lines {
        told.push_str("\n ");
        told.push_str(line);
    }
    told
}

/// What a model is told about a reply of which nothing could be run; none if there is nothing
/// to tell.
#[must_use]
pub fn correction(outcome: &Outcome, tools: &[ToolSpec]) -> Option<String> {
    let Outcome::Malformed { reason, tool } = outcome else {
        return matches!(outcome, Outcome::BareThought).then(|| REMINDER.to_owned());
    };
    let name = tool.as_deref().unwrap_or("The tool");
    let fault = match reason {
        Reason::NoToolName => "There is no name of a tool behind `Action:`.".to_owned(),
        Reason::MissingArguments => format!("{name} needs more arguments."),
        Reason::BadArguments => format!("The arguments of {name} cannot be read."),
        Reason::Truncated => format!("The call of {name} is not complete."),
        Reason::UnclosedThink => "Your reply ended while you were still thinking.".to_owned(),
        Reason::Empty => "Your reply is empty.".to_owned(),
    };
    let mut text = format!("Error: {fault} Nothing was run.\n");
    let spec = tool.as_ref().and_then(|name| tools.iter().find(|spec| spec.name == *name));
    if let Some(spec) = spec {
        let shape = Tool::new(spec);
        let _written = writeln!(text, "The form is: Action: {}", signature(&shape));
    }
    if matches!(reason, Reason::Truncated | Reason::BadArguments) {
        text.push_str("Put long text into a block below the call, or write it in smaller parts.\n");
    }
    text.push_str("Write one line `Action: tool_name(…)`, or `Answer:` and the answer.");
    Some(observation(&text))
}

fn add_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// `search_code(pattern, path?)`.
fn signature(tool: &Tool) -> String {
    let parameters: Vec<String> = tool
        .parameters
        .iter()
        .map(|one| format!("{}{}", one.name, if one.is_required { "" } else { "?" }))
        .collect();
    format!("{}({})", tool.name, parameters.join(", "))
}

/// A call with the one text that the tool needs.
fn simple_example(tool: &Tool) -> Option<String> {
    let only = tool.only_required().filter(|only| only.is_text)?;
    let is_first = tool.parameters.first().is_some_and(|first| first.name == only.name);
    is_first.then(|| format!("{}('{}')", tool.name, sample(only)))
}

/// A call with its last text in a block.
fn body_example(tool: &Tool) -> Option<String> {
    let required: Vec<&Parameter> = tool.required().collect();
    let [first, body] = required.as_slice() else { return None };
    let is_first = tool.parameters.first().is_some_and(|it| it.name == first.name);
    (is_first && first.is_text && body.is_text).then(|| {
        let (name, value) = (&tool.name, sample(first));
        format!("Thought: The file is missing.\nAction: {name}('{value}')\n```\nfirst line\nsecond line\n```")
    })
}

fn sample(parameter: &Parameter) -> &'static str {
    if parameter.is_path() { "notes.txt" } else { "ls" }
}

#[cfg(test)]
mod tests {
    use super::{correction, observation, section};
    use crate::{
        protocol::tool::ToolSpec,
        provider::{
            FinishReason,
            text::react::{Outcome, Reader, Reason},
        },
    };
    use serde_json::{Value, json};

    fn tool(name: &str, required: &[&str], optional: &[&str]) -> ToolSpec {
        let names = required.iter().chain(optional);
        let of = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
        ToolSpec {
            name: name.to_owned(),
            description: "Does a\nthing.".to_owned(),
            parameters: json!({
                "properties": names.map(of).collect::<serde_json::Map<_, _>>(),
                "required": required,
            }),
        }
    }

    fn tools() -> Vec<ToolSpec> {
        vec![
            tool("read_file", &["path"], &["limit"]),
            tool("write_file", &["path", "content"], &[]),
        ]
    }

    #[test]
    fn the_section_lists_every_tool_with_its_arguments_in_order() {
        let section = section(&tools());
        assert!(section.contains("- read_file(path, limit?): Does a thing.\n"), "{section}");
        assert!(section.contains("- write_file(path, content): Does a thing.\n"), "{section}");
        assert!(section.is_ascii(), "models copy every ornament that they are shown");
    }

    #[test]
    fn the_examples_of_the_section_are_read_as_the_calls_that_they_show() {
        let section = section(&tools());
        let from = |at: &str| section.get(section.find(at).unwrap()..).unwrap().to_owned();
        let read = |text: &str| {
            let mut reader = Reader::new(&tools());
            reader.push(text);
            match reader.finish(Some(&FinishReason::Stop)).outcome {
                Outcome::Action { call, repaired: false, unknown_tool: false } => {
                    (call.name, serde_json::from_str::<Value>(&call.arguments).unwrap())
                }
                other => panic!("{other:?}"),
            }
        };
        let first = from("Thought: I need");
        let first = first.split("\n\n").next().unwrap();
        assert_eq!(read(first), ("read_file".into(), json!({"path": "notes.txt"})));
        let (name, arguments) = read(&from("Thought: The file is missing."));
        assert_eq!(name, "write_file");
        assert_eq!(arguments["content"], "first line\nsecond line\n");
    }

    #[test]
    fn no_line_of_an_observation_can_be_taken_for_a_label() {
        let told = observation("Action: x\nAnswer: y\r\nThought: z\n\n");
        assert_eq!(told, "Observation: Action: x\n Answer: y\n \n Thought: z");
        assert_eq!(observation(""), "Observation:");
    }

    #[test]
    fn a_correction_names_the_fault_and_the_form() {
        let reason = Reason::MissingArguments;
        let outcome = Outcome::Malformed { reason, tool: Some("write_file".into()) };
        let told = correction(&outcome, &tools()).unwrap();
        assert!(told.starts_with("Observation: Error: write_file needs more arguments."), "{told}");
        assert!(told.contains("write_file(path, content)"), "{told}");
        let answer = Outcome::Answer { text: "x".into(), implicit: false };
        assert_eq!(correction(&answer, &tools()), None);
    }
}
