//! The window of a model: how each kind of server is asked for it, and when it is told.

use super::*;

/// What is learnt of the window of the model `m` at this server.
async fn window(fake: &Fake, model: &str) -> Option<u64> {
    let provider = OpenAi::new(Settings {
        api_key: Some("secret".to_owned()),
        ..server::settings(fake.base_url.clone(), model)
    })
    .unwrap();
    provider.learn_window().await;
    provider.about().context_window
}

fn props(window: u64) -> (&'static str, Page) {
    ("/props", Page::Json(json!({ "default_generation_settings": { "n_ctx": window } })))
}

#[tokio::test]
async fn each_kind_of_server_is_asked_in_its_own_way_for_the_window() {
    let show = json!({ "parameters": "num_ctx 24576", "model_info": {} });
    let ollama = Fake::start([("/api/show", Page::Json(show))]).await;
    assert_eq!(window(&ollama, "m").await, Some(24_576));
    let asked = ollama.requests.lock().unwrap().join("\n");
    assert!(asked.contains("POST /api/show") && asked.contains(r#"{"model":"m"}"#), "{asked}");
    assert!(asked.contains("Bearer secret"), "a server with a key wants it there, too: {asked}");

    let loaded = json!({ "data": [{ "id": "m", "loaded_context_length": 12_288 }] });
    let studio = Fake::start([("/api/v0/models", Page::Json(loaded))]).await;
    assert_eq!(window(&studio, "m").await, Some(12_288));

    let llama = Fake::start([props(20_480)]).await;
    assert_eq!(window(&llama, "m").await, Some(20_480));

    let served = json!({ "data": [{ "id": "m", "object": "model", "max_model_len": 65_536 }] });
    let served = ("/v1/models", Page::Json(served));
    let version = ("/version", Page::Json(json!({ "version": "0.11.0" })));
    let vllm = Fake::start([served.clone(), version]).await;
    assert_eq!(window(&vllm, "m").await, Some(65_536));

    let info = ("/get_model_info", Page::Json(json!({ "model_path": "m" })));
    let sglang = Fake::start([served.clone(), info]).await;
    assert_eq!(window(&sglang, "m").await, Some(65_536));
}

#[tokio::test]
async fn a_server_that_is_not_known_is_not_asked_for_its_list_while_it_streams() {
    let served = json!({ "data": [{ "id": "m", "object": "model", "max_model_len": 65_536 }] });
    let unknown = Fake::start([("/v1/models", Page::Json(served))]).await;
    assert_eq!(window(&unknown, "m").await, Some(8_192), "as this machine is taken to give");
    assert!(!unknown.paths().contains(&"/v1/models".to_owned()), "{:?}", unknown.paths());
    assert_eq!(window(&unknown, "gpt-4o-mini").await, Some(128_000), "as it is well known");
}

#[tokio::test]
async fn a_silent_question_does_not_hide_the_answer_to_another() {
    let fake = Fake::start([props(20_480), ("/api/ps", Page::Silence)]).await;
    assert_eq!(window(&fake, "m").await, Some(20_480));
}

/// A script whose window becomes known while it answers.
struct Late {
    script: Scripted,
    is_known: Arc<AtomicBool>,
}

impl Provider for Late {
    fn about(&self) -> About {
        let window = self.is_known.load(Ordering::SeqCst).then_some(16_384);
        About { context_window: window, ..self.script.about() }
    }

    fn stream(&self, request: Request) -> BoxFuture<'_, Result<DeltaStream, ProviderError>> {
        let is_known = Arc::clone(&self.is_known);
        async move {
            let stream = self.script.stream(request).await?;
            Ok(stream.inspect(move |_| is_known.store(true, Ordering::SeqCst)).boxed())
        }
        .boxed()
    }

    fn use_model(&self, model: String) {
        self.script.use_model(model);
    }
}

#[tokio::test]
async fn a_window_that_is_learnt_during_an_answer_is_told_with_its_tokens() {
    let script = Script::parse("model = 'm'\n[[reply]]\ntext = 'hello'\n", "test").unwrap();
    let script = Scripted::new(script, Path::new("/project"));
    let mut rig = Rig::new(Strict::over(Late { script, is_known: Arc::default() }));
    let events = rig.turn("go").await;
    check_grammar(&events);
    let told = |event: &StreamEvent| matches!(event, StreamEvent::ModelChosen { about } if about.context_window == Some(16_384));
    let told = events.iter().position(told).expect("it is told in the same turn");
    let counted = |event: &StreamEvent| matches!(event, StreamEvent::UsageUpdated { .. });
    assert!(Some(told) < events.iter().position(counted), "{events:?}");
}
