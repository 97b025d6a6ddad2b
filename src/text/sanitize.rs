//! Neutralising text from outside (stub).
