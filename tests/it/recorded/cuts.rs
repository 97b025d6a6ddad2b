//! Streams that end too early. Each byte of the smallest ones, and some hundred of the others: that
//! a cut anywhere gives only the beginning of the events is tested beside the framer.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    folder, index,
    mutate::finish_known_at,
    player::{Job, Player, play_all},
};

/// The largest stream that is cut at all.
const SMALL: usize = 8 * 1024;
/// So many places of a stream, spread evenly.
const SPREAD: usize = 60;
/// A stream of so many bytes is cut at every one of them.
const EVERY: usize = 700;
/// So many bytes around the places where something ends.
const AROUND: usize = 3;

fn places(body: &[u8]) -> BTreeSet<usize> {
    let step = if body.len() <= EVERY { 1 } else { body.len() / SPREAD };
    let mut places: BTreeSet<usize> = (0..body.len()).step_by(step).collect();
    let ends: Vec<usize> = finish_known_at(body).into_iter().chain([body.len()]).collect();
    for end in ends {
        places.extend(end.saturating_sub(20)..(end + AROUND).min(body.len()));
    }
    let lines = body.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    for line in lines.step_by(body.len() / 1024 + 1) {
        places.extend(line.saturating_sub(AROUND)..(line + AROUND).min(body.len()));
    }
    places
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_cut_anywhere_is_never_a_success_without_a_finish() {
    let Some(folder) = folder() else { return };
    let player = Player::start().await;
    let mut jobs = Vec::new();
    let mut files = 0;
    for row in index(&folder) {
        let body: Arc<[u8]> = std::fs::read(folder.join(&row["file"])).unwrap().into();
        if body.len() > SMALL {
            continue;
        }
        files += 1;
        let (whole, _) = player.play(&body, &[usize::MAX]).await;
        let whole = Arc::new(whole);
        let known_at = finish_known_at(&body);
        for end in places(&body) {
            let place = format!("{} cut at {end}", row["file"]);
            let whole = Arc::clone(&whole);
            let check = move |(response, error): super::player::Outcome| {
                let told = known_at.is_some_and(|known_at| end >= known_at);
                let is_success = error.is_none();
                if is_success && !(told && response.finish.is_some()) {
                    return Some(format!("{place}: success"));
                }
                let is_part = whole.text.starts_with(&response.text)
                    && whole.reasoning.starts_with(&response.reasoning)
                    && response.calls.len() <= whole.calls.len();
                (!is_part).then(|| format!("{place}: {response:?}"))
            };
            jobs.push(Job {
                body: body[..end].into(),
                pieces: vec![usize::MAX],
                check: Box::new(check),
            });
        }
    }
    let cuts = jobs.len();
    let wrong = play_all(jobs).await;
    assert!(files > 0, "no recorded stream was found");
    println!("{files} streams cut at {cuts} places");
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}
