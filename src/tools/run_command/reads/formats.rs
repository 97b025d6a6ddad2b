//! Formats of output: those that neither run something nor blow up.
//!
//! Owns the grammars. A width such as `%999999999d` prints without bound, and some conversions
//! run a program (`%G?` of git checks signatures) or assign (`%n` of the shell's `printf`).

/// Whether each `%` is followed by one of these characters.
fn has_only(format: &str, conversions: &str) -> bool {
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c == '%' && !chars.next().is_some_and(|next| conversions.contains(next)) {
            return false;
        }
    }
    true
}

/// A format of `date`, without the `+`.
pub(super) fn is_time(format: &str) -> bool {
    has_only(format, "aAbBcCdDeFgGhHIjklmMnNpPrRsStTuUVwWxXyYzZ%")
}

/// A format of `printf`.
pub(super) fn is_print(format: &str) -> bool {
    has_only(format, "sd%")
}

/// A format of `stat`.
pub(super) fn is_stat(format: &str) -> bool {
    has_only(format, "aAbBdDfFgGhinNosStTuUwWxXyYzZ%")
}

/// A format of `find -printf`.
pub(super) fn is_find(format: &str) -> bool {
    has_only(format, "abcdDfFgGhHiklmMnpPstuUyY%")
}

/// A value of `--format` or `--pretty` of `git log`. Other names are defined by settings.
pub(super) fn is_git_log(format: &str) -> bool {
    const NAMES: [&str; 9] =
        ["oneline", "short", "medium", "full", "fuller", "reference", "email", "mboxrd", "raw"];
    NAMES.contains(&format) || (format.contains('%') && has_only(format, "HhTtPpacdDsSbBenmxCN%"))
}

/// A value of `--format` of `git branch`, `git tag` and `git for-each-ref`.
pub(super) fn is_git_refs(format: &str) -> bool {
    const ATOMS: [&str; 20] = [
        "refname",
        "refname:short",
        "objectname",
        "objectname:short",
        "objecttype",
        "HEAD",
        "upstream",
        "upstream:short",
        "upstream:track",
        "subject",
        "contents:subject",
        "authorname",
        "authordate",
        "authordate:short",
        "authordate:relative",
        "committerdate",
        "committerdate:short",
        "committerdate:relative",
        "committerdate:iso",
        "creatordate:short",
    ];
    let mut parts = format.split('%');
    let plain = parts.next();
    let is_atom = |part: &str| {
        let atom = part.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        atom.is_some_and(|(atom, _)| ATOMS.contains(&atom))
    };
    plain.is_some() && parts.all(is_atom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_or_a_conversion_that_acts_is_refused() {
        assert!(is_time("%Y-%m-%d %H:%M:%S 100%%"));
        for format in ["%9999999Y", "%", "%-d", "%%%", "%E"] {
            assert!(!is_time(format), "{format}");
        }
        assert!(is_print("%s\\n%%"));
        for format in ["%n", "%99999999s", "%(%Y)T", "%*d", "%"] {
            assert!(!is_print(format), "{format}");
        }
        assert!(is_git_log("%h %s") && is_git_log("format:%an %x09") && is_git_log("oneline"));
        for format in [
            "%G?",
            "%h%GK",
            "%(describe)",
            "%<(9999999)%s",
            "mine",
            "%w(99)",
            "%+G?",
            "%G?format:%h",
        ] {
            assert!(!is_git_log(format), "{format}");
        }
        assert!(is_git_refs("%(refname:short) %(HEAD)"));
        for format in ["%(signature)", "%(describe)", "%G", "%(if)", "%%"] {
            assert!(!is_git_refs(format), "{format}");
        }
    }
}
