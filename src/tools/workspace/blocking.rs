//! Runs file work off the async threads. Owns how such work is stopped; knows nothing of what
//! it does.
//!
//! Invariant: dropping the future cancels the token that the work was given, so that long walks
//! end; work that must not be torn does not look at it.

use tokio_util::sync::CancellationToken;

use crate::tools::ToolError;

/// Runs `work` on a blocking thread. Its token is cancelled with `stop`, and when the returned
/// future is dropped.
///
/// # Errors
/// What `work` gives, or a text for the model if it panicked.
pub async fn blocking<T, F>(stop: &CancellationToken, work: F) -> Result<T, ToolError>
where
    T: Send + 'static,
    F: FnOnce(&CancellationToken) -> Result<T, ToolError> + Send + 'static,
{
    let stop = stop.child_token();
    let guard = stop.clone().drop_guard();
    let result = tokio::task::spawn_blocking(move || work(&stop)).await;
    drop(guard);
    result.unwrap_or_else(|error| {
        Err(ToolError::failed(
            "internal error",
            format!("the tool itself failed ({error}). Try another way to do this."),
        ))
    })
}
