//! From settings to a server: what is passed on, the missing key, the model that is not named.
//! Owns the words for what is missing.

use crate::{
    config::{OPENAI, Server, user_file},
    protocol::{about::About, exit::ErrorKind},
    provider::{
        ProviderError,
        openai::{self, Settings},
    },
};

/// Models that a message names.
const NAMED: usize = 12;

/// What is known of a server before it is asked anything.
pub(super) fn about(server: &Server) -> About {
    About {
        model: server.model.clone(),
        place: place(&server.base_url),
        scripted: false,
        context_window: server.context_window,
    }
}

pub(super) fn settings(server: &Server) -> Settings {
    Settings {
        base_url: server.base_url.clone(),
        api_key: server.key.clone(),
        key_source: server.key_variable.clone(),
        model: server.model.clone(),
        context_window: server.context_window,
        price: server.price.clone(),
        connect_timeout: server.connect_timeout,
        idle_timeout: server.idle_timeout,
        allow_insecure_key: server.allow_insecure_key,
        headers: server.headers.clone(),
        body: server.body.clone(),
        quirks: server.quirks.clone(),
    }
}

pub(super) fn check_key(server: &Server) -> Result<(), ProviderError> {
    let by_header =
        server.headers.iter().any(|header| header.name.eq_ignore_ascii_case("authorization"));
    if server.key.is_none()
        && !by_header
        && server.key_withheld.is_none()
        && server.base_url.trim_end_matches('/') == OPENAI
    {
        let variable = &server.key_variable;
        let file = user_file(&|name| std::env::var(name).ok());
        let file =
            file.map_or("~/.config/mcc-tui/config.toml".into(), |file| file.display().to_string());
        return Err(ProviderError::new(
            ErrorKind::Auth,
            format!("No API key: {variable} is not set, and {OPENAI} needs one."),
            format!(
                "Set {variable} in the environment, or name another variable with `api_key_env` \
                 in your config file ({file}). A local server needs no key: \
                 --base-url http://localhost:11434/v1"
            ),
        ));
    }
    Ok(())
}

/// The model of a server that offers just one.
pub(super) fn only_model(models: &[String]) -> Option<String> {
    match models {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// The server offers none, or several: the user has to choose.
pub(super) fn unchosen(models: &[String]) -> ProviderError {
    let names = models.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let message = match models.len() {
        0 => "No model is set, and the server offers none.".to_owned(),
        n if n > NAMED => format!("No model is set, and the server offers {n}: {names}, …"),
        n => format!("No model is set, and the server offers {n}: {names}."),
    };
    ProviderError::new(
        ErrorKind::Config,
        message,
        "Choose one: /model in the full screen, --model NAME, MCC_MODEL, or `model` in .mcc-tui/config.toml.",
    )
}

/// Nobody listens where the server should be.
pub(super) fn deserted(server: &Server) -> String {
    let place = place(&server.base_url);
    format!("Nothing answers at {place}. Start the server there, or choose another one: /model.")
}

/// The server at an address, for people.
pub(super) fn place(url: &str) -> String {
    openai::place(url).unwrap_or_else(|| rough_place(url).to_owned())
}

/// Host and port of what is no address.
fn rough_place(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    // A name and password before the host are nobody's business.
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use crate::{config::QUIRKS, provider::openai::quirk_names};

    #[test]
    fn the_settings_know_the_quirks_that_the_provider_knows() {
        assert_eq!(quirk_names(), QUIRKS);
    }
}
