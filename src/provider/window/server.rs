//! The kinds of servers, as far as they differ in how they are given a larger window. Owns these
//! sentences.

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum Server {
    /// llama.cpp's own.
    Llama,
    /// Ollama.
    Ollama,
    /// LM Studio.
    Studio,
    /// vLLM.
    Vllm,
    /// `SGLang`.
    Sglang,
    /// Any other, or one that is not known.
    Other,
}

impl Server {
    /// What the user can do to have a larger window there.
    pub(in crate::provider) fn widen(self) -> &'static str {
        match self {
            Self::Llama => "Start llama-server with a larger window: -c 32768.",
            Self::Ollama => {
                "Start Ollama with a larger window: OLLAMA_CONTEXT_LENGTH=32768 ollama serve; or \
                 create a model from a Modelfile with the line PARAMETER num_ctx 32768."
            }
            Self::Studio => {
                "Load the model again with a larger context length: the slider in LM Studio's \
                 load settings, or lms load NAME --context-length 32768."
            }
            Self::Vllm => "Start vLLM with a larger window: --max-model-len 32768.",
            Self::Sglang => "Start SGLang with a larger window: --context-length 32768.",
            Self::Other => "Give the model a larger context window where its server is started.",
        }
    }
}
