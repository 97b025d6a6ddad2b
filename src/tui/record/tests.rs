//! What is kept, and how it is written.
