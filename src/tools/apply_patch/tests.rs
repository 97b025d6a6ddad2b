//! What `apply_patch` promises, tested.
