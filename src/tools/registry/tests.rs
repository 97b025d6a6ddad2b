//! What `registry` promises, tested.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::Registry;
use crate::protocol::access::Access;
use crate::protocol::id::CallId;
use crate::protocol::question::Preview;
use crate::protocol::tool::{ToolCall, ToolSpec, ToolStatus};
use crate::tools::{Run, Tool, ToolContext, ToolError, ToolOutput};

struct Command;

impl Tool for Command {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "run_command".to_owned(),
            description: String::new(),
            parameters: json!({"type": "object", "properties": {"command": {"type": "string"}}}),
        }
    }

    fn access(&self, _: &Value, _: &ToolContext) -> Result<Access, ToolError> {
        Ok(Access::unknown())
    }

    fn preview<'a>(
        &'a self,
        _: &'a Value,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        Box::pin(async { Ok(Preview::Nothing) })
    }

    fn run<'a>(
        &'a self,
        _: &'a Value,
        _: &'a ToolContext,
        _: &'a Run,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        Box::pin(async { Ok(ToolOutput::default()) })
    }
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: CallId("1".to_owned()), name: name.to_owned(), arguments: arguments.to_owned() }
}

#[test]
fn the_names_that_models_use_lead_to_the_tools() {
    let registry = Registry::files().with(Arc::new(Command));
    for (canonical, names) in [
        ("read_file", "read_file readFile Read view cat READ_FILE read-file functions.read_file"),
        ("list_files", "list_files listFiles LS ls list_directory list_dir Glob glob find_files"),
        ("search_code", "search_code searchCode grep Grep search_file_content search"),
        ("write_file", "write_file writeFile Write create_file functions.Write"),
        ("edit_file", "edit_file Edit edit str_replace replace editFile"),
        ("multi_edit", "multi_edit MultiEdit multiedit functions.multi_edit"),
        ("apply_patch", "apply_patch applypatch applyPatch patch functions.apply_patch"),
        (
            "run_command",
            "run_command run_cmd runCommand Bash bash shell run_shell_command exec exec_command",
        ),
    ] {
        for name in names.split(' ') {
            let tool = registry.resolve(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(tool.spec().name, canonical, "{name}");
        }
    }
}

#[test]
fn the_patch_tool_is_there_for_models_that_know_it_but_not_listed() {
    let registry = Registry::files();
    let listed: Vec<String> = registry.specs().iter().map(|spec| spec.name.clone()).collect();
    assert_eq!(listed, ["read_file", "list_files", "search_code", "write_file", "edit_file"]);
    let aliases = registry.aliases();
    for name in ["apply_patch", "applypatch", "patch"] {
        assert!(aliases.iter().any(|spec| spec.name == name), "{name} written as text is a call");
    }
    let error = registry.parse(&call("nonsense", "{}")).unwrap_err();
    assert!(!error.text.contains("apply_patch"), "{error}");
    let text = "*** Begin Patch\n*** Add File: a\n+\"x\"\n*** End Patch";
    for raw in [text.to_owned(), json!(text).to_string(), json!({"input": text}).to_string()] {
        let parsed = registry.parse(&call("apply_patch", &raw)).unwrap();
        assert_eq!(parsed.arguments, json!({"patch": text}), "{raw}");
    }
}

#[test]
fn an_alias_of_a_tool_that_is_not_there_leads_nowhere() {
    assert!(Registry::files().resolve("bash").is_none());
}

#[test]
fn an_unknown_tool_is_refused_with_near_names_and_all_tools() {
    let error = Registry::files().parse(&call("read_flie", "{}")).unwrap_err();
    assert_eq!(error.status, ToolStatus::Refused);
    assert!(error.text.contains("Did you mean `read_file`"), "{error}");
    assert!(error.text.contains("read_file, list_files, search_code, write_file, edit_file"));
    let error = Registry::files().parse(&call("xyzzy", "{}")).unwrap_err();
    assert!(!error.text.contains("Did you mean"), "{error}");
    assert!(Registry::files().parse(&call("", "")).is_err());
}

#[test]
fn a_call_is_parsed_with_repaired_arguments_and_notes() {
    let parsed = Registry::files()
        .parse(&call("Edit", r#"{"file_path":"a","old_string":"x","new_string":"y","why":1}"#))
        .unwrap();
    assert_eq!(parsed.name, "edit_file");
    assert_eq!(parsed.arguments, json!({"path": "a", "old": "x", "new": "y"}));
    assert_eq!(parsed.notes.len(), 1);
    for (name, arguments) in [
        ("write_file", r#"{"path":"a","text":"x"}"#),
        ("grep", r#"{"query":"x","ignoreCase":"true","mode":"files"}"#),
        ("ls", ""),
    ] {
        let parsed = Registry::files().parse(&call(name, arguments)).unwrap();
        assert!(parsed.notes.is_empty(), "{:?}", parsed.notes);
    }
}

#[test]
fn the_specs_of_the_file_tools_are_lean() {
    let specs = Registry::files().specs();
    let json = serde_json::to_string(&specs[..]).unwrap();
    assert!(json.len() < 3_200, "{} bytes: {json}", json.len());
    for spec in specs.iter() {
        assert_eq!(spec.parameters["type"], "object", "{}", spec.name);
        for noise in ["$schema", "\"title\"", "\"format\"", "null", "$ref", "anyOf"] {
            assert!(!spec.parameters.to_string().contains(noise), "{noise} in {}", spec.name);
        }
    }
}

#[test]
fn an_endless_name_is_unknown_and_is_not_compared_with_anything() {
    // Comparing it would take millions of times as many steps as it has characters.
    let name = "read_file".repeat(1 << 20);
    let error = Registry::files().parse(&call(&name, "{}")).unwrap_err();
    assert_eq!(error.status, ToolStatus::Refused);
    assert!(error.text.contains("there is no tool") && error.text.len() < 1000, "{}", error.text);
    assert!(!error.text.contains("Did you mean"), "{}", error.text);
}
