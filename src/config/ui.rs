//! The table `[ui]`: how the screen looks, and what it tells the terminal. Owns the names of the
//! values and their defaults; knows no terminal.

use serde::Deserialize;

/// Which colours the screen has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeName {
    /// By the terminal's background; without colours if `NO_COLOR` is set.
    #[default]
    Auto,
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// Few colours, strong ones, and nothing dim.
    HighContrast,
    /// No colours.
    Plain,
}

impl ThemeName {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 5] =
        [Self::Auto, Self::Dark, Self::Light, Self::HighContrast, Self::Plain];

    /// The name, as it stands in a file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrast => "high-contrast",
            Self::Plain => "plain",
        }
    }
}

/// Which signs the screen uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SignChoice {
    /// ASCII where the terminal or the locale takes no others.
    #[default]
    Auto,
    /// Signs that not every font has.
    Unicode,
    /// ASCII alone.
    Ascii,
}

/// Whether links of an answer can be clicked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkChoice {
    /// Where the terminal is known to have them.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never: the target stands in brackets.
    Off,
}

/// How the terminal counts the columns of emoji that are made of several characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WidthMethod {
    /// Each as one, but in GNU screen.
    #[default]
    Auto,
    /// Each as one.
    Clusters,
    /// Every character by itself: such emoji are drawn as their first character.
    Chars,
}

/// How the screen looks, and what it tells the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub struct Ui {
    /// Which colours.
    pub theme: ThemeName,
    /// Whether something may move by itself.
    pub motion: bool,
    /// Which signs.
    pub signs: SignChoice,
    /// Whether links can be clicked.
    pub links: LinkChoice,
    /// How wide emoji are.
    pub width: WidthMethod,
    /// Whether the window gets a title.
    pub title: bool,
    /// Whether the terminal is told that something runs.
    pub progress: bool,
    /// Whether the user is called when something waits and the window has no focus.
    pub notify: bool,
}

impl Default for Ui {
    fn default() -> Self {
        Self {
            theme: ThemeName::default(),
            motion: true,
            signs: SignChoice::default(),
            links: LinkChoice::default(),
            width: WidthMethod::default(),
            title: true,
            progress: true,
            notify: true,
        }
    }
}

/// The table as it stands in a file. All of it is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct UiFile {
    pub(super) mouse: Option<bool>,
    pub(super) copy_on_select: Option<bool>,
    theme: Option<ThemeName>,
    motion: Option<bool>,
    signs: Option<SignChoice>,
    links: Option<LinkChoice>,
    width: Option<WidthMethod>,
    title: Option<bool>,
    progress: Option<bool>,
    notify: Option<bool>,
}

/// The keys of the table.
pub(super) const KEYS: [&str; 10] = [
    "mouse",
    "copy_on_select",
    "theme",
    "motion",
    "signs",
    "links",
    "width",
    "title",
    "progress",
    "notify",
];

/// The project's table over the user's. `MCC_REDUCED_MOTION` beats both.
pub(super) fn put_together(
    project: &UiFile,
    user: &UiFile,
    env: &dyn Fn(&str) -> Option<String>,
) -> Ui {
    let usual = Ui::default();
    let is_still = env("MCC_REDUCED_MOTION").is_some_and(|value| value.trim() != "0");
    Ui {
        theme: project.theme.or(user.theme).unwrap_or(usual.theme),
        motion: !is_still && project.motion.or(user.motion).unwrap_or(usual.motion),
        signs: project.signs.or(user.signs).unwrap_or(usual.signs),
        links: project.links.or(user.links).unwrap_or(usual.links),
        width: project.width.or(user.width).unwrap_or(usual.width),
        title: project.title.or(user.title).unwrap_or(usual.title),
        progress: project.progress.or(user.progress).unwrap_or(usual.progress),
        notify: project.notify.or(user.notify).unwrap_or(usual.notify),
    }
}

/// One row of the table `[keys]`, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyChoice {
    /// The key, as it was written.
    pub key: String,
    /// The name of the action, as it was written.
    pub action: String,
    /// The file.
    pub path: std::path::PathBuf,
    /// The line, from 1.
    pub line: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_can_only_take_the_motion_away() {
        let file = UiFile { motion: Some(true), ..UiFile::default() };
        let motion = |value: Option<&str>| {
            let env =
                |name: &str| value.filter(|_| name == "MCC_REDUCED_MOTION").map(str::to_owned);
            put_together(&file, &UiFile::default(), &env).motion
        };
        assert!(motion(None) && motion(Some("0")));
        assert!(!motion(Some("1")));
    }

    #[test]
    fn every_theme_is_read_by_its_name() {
        for theme in ThemeName::ALL {
            let file: UiFile = toml::from_str(&format!("theme = \"{}\"", theme.name())).unwrap();
            assert_eq!(file.theme, Some(theme));
        }
    }
}
