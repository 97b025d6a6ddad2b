//! What `spill` promises, tested.

use super::*;

fn folder() -> (tempfile::TempDir, Option<Arc<OutFolder>>) {
    let base = tempfile::tempdir().unwrap();
    let folder = Arc::new(OutFolder::below(base.path().to_owned()));
    (base, Some(folder))
}

#[tokio::test]
async fn what_is_shown_whole_has_no_file() {
    let (_base, folder) = folder();
    let mut spill = Spill::new(folder.clone());
    spill.push(&vec![b'x'; 15_000]).await;
    spill.push(&vec![b'x'; 15_000]).await;
    assert_eq!(spill.finish().await, None);
}

#[tokio::test]
async fn of_more_the_file_holds_every_byte_from_the_first() {
    let (_base, folder) = folder();
    let mut spill = Spill::new(folder.clone());
    let all: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    for chunk in all.chunks(7_001) {
        spill.push(chunk).await;
    }
    let file = spill.finish().await.unwrap();
    assert_eq!((file.bytes, file.cut), (800_000, None));
    assert_eq!(std::fs::read(file.path).unwrap(), all);
}

#[tokio::test]
async fn a_file_ends_at_its_limit_and_says_so() {
    let (_base, folder) = folder();
    let mut spill = Spill::new(folder.clone());
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..101 {
        spill.push(&chunk).await;
    }
    let file = spill.finish().await.unwrap();
    assert_eq!(file.bytes, 100 << 20);
    assert_eq!(file.path.metadata().unwrap().len(), 100 << 20);
    assert_eq!(file.cut.as_deref(), Some("a file holds no more"));
}

#[tokio::test]
async fn a_file_that_is_wanted_from_the_start_is_there_and_empty() {
    let (_base, folder) = folder();
    let mut spill = Spill::new(folder.clone());
    let path = spill.begin().unwrap();
    assert_eq!(path.metadata().unwrap().len(), 0);
    spill.push(b"hi").await;
    let file = spill.finish().await.unwrap();
    assert_eq!((file.bytes, file.path.as_path()), (2, path.as_path()));
    assert_eq!(std::fs::read(path).unwrap(), b"hi");
}

#[tokio::test]
async fn without_a_folder_there_is_no_file() {
    let nowhere = Arc::new(OutFolder::below("/dev/null/nowhere".into()));
    for folder in [None, Some(nowhere)] {
        let mut spill = Spill::new(folder.clone());
        assert_eq!(spill.begin(), None);
        spill.push(&vec![b'x'; 100_000]).await;
        assert_eq!(spill.finish().await, None);
    }
}
