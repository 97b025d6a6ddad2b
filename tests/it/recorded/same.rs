//! Streams written in other ways, and in other pieces: the same comes out.

use std::sync::Arc;

use mcc_tui::provider::{ProviderError, accumulate::Response};

use super::{
    folder, index,
    mutate::{MUTATIONS, lines_of},
    player::{Job, Outcome, Player, play_all},
};

/// The largest stream that comes byte by byte.
const SMALL: usize = 8 * 1024;

/// What must not change.
#[derive(Debug, PartialEq)]
struct Same {
    response: Response,
    error: Option<ProviderError>,
}

/// Sizes that look like chance, and are the same each time.
fn sizes(mut seed: u64) -> Vec<usize> {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    (0..97).map(|_| if next() % 4 == 0 { 1 + next() % 4 } else { 1 + next() % 900 }).collect()
}

fn job(name: String, whole: &Arc<Same>, body: Vec<u8>, pieces: Vec<usize>) -> Job {
    let whole = Arc::clone(whole);
    let check = move |(response, error): Outcome| {
        let got = Same { response, error };
        (got != *whole).then(|| format!("{name}:\n  want {whole:?}\n  got  {got:?}"))
    };
    Job { body: body.into(), pieces, check: Box::new(check) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recorded_streams_written_in_other_ways_come_out_the_same() {
    let Some(folder) = folder() else { return };
    let player = Player::start().await;
    let mut jobs = Vec::new();
    let mut files = 0;
    for (place, row) in index(&folder).into_iter().enumerate() {
        let file = &row["file"];
        let body = std::fs::read(folder.join(file)).unwrap();
        let (response, error) = player.play(&body, &[usize::MAX]).await;
        let whole = Arc::new(Same { response, error });
        let bytes = if body.len() <= SMALL { vec![1] } else { sizes(place as u64) };
        let text = lines_of(&body);
        files += 1;
        jobs.push(job(format!("{file} in other pieces"), &whole, body, bytes.clone()));
        for (name, mutation) in MUTATIONS {
            // An event that is no JSON cannot be told from one that was cut, if nothing ends it.
            if row["quirks"].contains("non-json-data") && name.contains("at the end") {
                continue;
            }
            let body = mutation(&text);
            let pieces = if body.len() <= SMALL / 4 { vec![1] } else { sizes(place as u64 + 1) };
            jobs.push(job(format!("{file} with {name}"), &whole, body, pieces));
        }
    }
    let count = jobs.len();
    let wrong = play_all(jobs).await;
    assert!(files > 0, "no recorded stream was found");
    println!("{} of {count} ways to write {files} recorded streams", count - wrong.len());
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n"));
}
