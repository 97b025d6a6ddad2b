//! What `commit` promises, tested.
