// SPDX-License-Identifier: Apache-2.0
#include "exchange/hub_names.h"

#include <cctype>
#include <optional>
#include <string_view>

#include "core/json_path.h"

namespace orrery {
namespace {

// A hub's name is one of these but for its marks and the endings below. GPT-3 of 1.3 and of 13
// billion are left out: without marks they are one name.
constexpr std::string_view kOurs[] = {
    "bloom-176b",
    "chronos-t5-base",
    "clip-vit-l-14",
    "cogvideox-2b",
    "cogvideox-5b",
    "cosmos-1.0-14b",
    "cosmos-1.0-7b",
    "deepseek-v2-lite",
    "deepseek-v3",
    "dinov2-l-14",
    "dinov3-7b",
    "dit-xl-2",
    "falcon-180b",
    "falcon-40b",
    "fastconformer-xl",
    "flux.1-dev",
    "flux.1-schnell",
    "flux.2-dev",
    "gemma-2-27b",
    "gemma-2-2b",
    "gemma-2-9b",
    "gemma-2b",
    "gemma-3-12b",
    "gemma-3-1b",
    "gemma-3-27b",
    "gemma-3-4b",
    "gemma-7b",
    "glm-4.5",
    "glm-4.5-air",
    "gpt-j-6b",
    "gpt-neox-20b",
    "gpt-oss-120b",
    "gpt-oss-20b",
    "gpt2",
    "gpt2-xl",
    "gpt3-125m",
    "gpt3-175b",
    "gpt3-2.7b",
    "gpt3-350m",
    "gpt3-6.7b",
    "gpt3-760m",
    "granite-3.1-8b",
    "granite-4.0-h-small",
    "grok-1",
    "hunyuanvideo",
    "kimi-k2",
    "lecture-10b",
    "llama-2-13b",
    "llama-2-70b",
    "llama-2-7b",
    "llama-3-405b",
    "llama-3-70b",
    "llama-3-8b",
    "llama-3.2-1b",
    "llama-3.2-3b",
    "llama-30b",
    "llama-4-maverick",
    "llama-4-scout",
    "llama-65b",
    "ltx-video-2b",
    "megatron-1t",
    "megatron-22b",
    "minimax-m2.5",
    "mistral-7b",
    "mistral-7b-v0.1",
    "mistral-7b-v0.3",
    "mistral-nemo-12b",
    "mistral-small-24b",
    "mixtral-8x22b",
    "mixtral-8x7b",
    "mochi-1",
    "mt-nlg-530b",
    "nemotron-3-ultra-550b",
    "nemotron-4-15b",
    "nemotron-4-340b",
    "nemotron-h-8b",
    "olmo-2-13b",
    "olmo-2-7b",
    "opt-175b",
    "phi-3-mini",
    "phi-4",
    "pixart-sigma-1024",
    "qwen-image",
    "qwen2.5-0.5b",
    "qwen2.5-1.5b",
    "qwen2.5-14b",
    "qwen2.5-32b",
    "qwen2.5-3b",
    "qwen2.5-72b",
    "qwen2.5-7b",
    "qwen3-0.6b",
    "qwen3-1.7b",
    "qwen3-14b",
    "qwen3-235b-a22b",
    "qwen3-30b-a3b",
    "qwen3-32b",
    "qwen3-4b",
    "qwen3-8b",
    "qwen3-next-80b-a3b",
    "sd-1.5",
    "sd-2.1",
    "sd3-medium",
    "sd3.5-large",
    "sdxl",
    "siglip-so400m-14-384",
    "timesfm-2.0-500m",
    "tinyllama-1.1b",
    "turing-nlg-17.2b",
    "vit-22b",
    "vit-b-16",
    "vit-h-14",
    "vit-l-16",
    "wan2.1-t2v-1.3b",
    "wan2.1-t2v-14b",
    "wan2.2-ti2v-5b",
    "wav2vec2-base",
    "whisper-base",
    "whisper-large",
    "whisper-large-v3",
    "whisper-medium",
    "whisper-small",
    "whisper-tiny",
    "yi-34b",
};

struct OtherName {
  std::string_view theirs;  // letters and digits alone
  std::string_view ours;    // "": a model that only looks like one of ours
};
constexpr OtherName kOtherNames[] = {
    {"clipvitlargepatch14", "clip-vit-l-14"},
    {"vitbasepatch16224", "vit-b-16"},
    {"qwen25math15b", "qwen2.5-1.5b"},  // its card: based on Qwen2.5-1.5B
    {"llama318b", "llama-3-8b"},
    {"llama3170b", "llama-3-70b"},
    {"llama3370b", "llama-3-70b"},
    {"llama31405b", "llama-3-405b"},
    {"405b", "llama-3-405b"},
    {"stablediffusionxlbase10", "sdxl"},
    {"stablediffusionv15", "sd-1.5"},
    {"stablediffusion21", "sd-2.1"},
    {"parakeetctc06b", "fastconformer-xl"},
    {"175b", "gpt3-175b"},
    {"llama4scout17b16e", "llama-4-scout"},
    {"llama4maverick17b128e", "llama-4-maverick"},
    {"deepseekv30324", "deepseek-v3"},
    {"deepseekv31", "deepseek-v3"},  // trained further
    {"deepseekv31terminus", "deepseek-v3"},
    {"deepseekr1", "deepseek-v3"},
    {"deepseekr1distillqwen15b", ""},  // with a head of its own
    {"deepseekr1distillqwen7b", "qwen2.5-7b"},
    {"deepseekr1distillqwen14b", "qwen2.5-14b"},
    {"deepseekr1distillqwen32b", "qwen2.5-32b"},
    {"deepseekr1distillllama8b", "llama-3-8b"},
    {"deepseekr1distillllama70b", "llama-3-70b"},
    {"qwq32b", "qwen2.5-32b"},
    {"qwq32bpreview", "qwen2.5-32b"},
    {"qwen25coder7b", "qwen2.5-7b"},
    {"qwen25coder14b", "qwen2.5-14b"},
    {"qwen25coder32b", "qwen2.5-32b"},
    {"qwen25math7b", "qwen2.5-7b"},
    {"qwen25math72b", "qwen2.5-72b"},
    {"olmo211247b", "olmo-2-7b"},
    {"olmo2112413b", "olmo-2-13b"},
    {"bloom", "bloom-176b"},
    {"mistral7binstructv01", "mistral-7b-v0.1"},
    {"mistral7binstructv02", "mistral-7b"},  // without the window
    {"mistral7bv02", "mistral-7b"},
    {"mistral7binstructv03", "mistral-7b-v0.3"},
    {"mistralnemo", "mistral-nemo-12b"},
    {"phi3mini4k", "phi-3-mini"},
    {"phi414b", "phi-4"},
    {"deepseekcoderv2lite", "deepseek-v2-lite"},
    {"tinyllamav11", "tinyllama-1.1b"},
    {"tinyllama11bchatv10", "tinyllama-1.1b"},
    {"tinyllama11bintermediatestep1431k3t", "tinyllama-1.1b"},
    {"llama7b", "llama-2-7b"},  // of the same dimensions
    {"llama13b", "llama-2-13b"},
    {"llama33b", "llama-30b"},  // as its paper's text calls it
    {"vicuna7bv13", "llama-2-7b"},
    {"vicuna13bv13", "llama-2-13b"},
    {"vicuna33bv13", "llama-30b"},
    {"yi1534b", "yi-34b"},
    {"whisperlargev2", "whisper-large"},  // trained further
    {"vicuna7bv15", "llama-2-7b"},        // trained further
    {"vicuna13bv15", "llama-2-13b"},
    {"qwen205b", "qwen2.5-0.5b"},
    {"qwen215b", "qwen2.5-1.5b"},
    {"qwen27b", "qwen2.5-7b"},
    {"qwen272b", "qwen2.5-72b"},
    {"qwen3moe30ba3b", "qwen3-30b-a3b"},
    {"qwen3moe235ba22b", "qwen3-235b-a22b"},
};

// Endings of names that leave the dimensions as they are.
constexpr std::string_view kEndings[] = {
    "linearized", "bnb4bit", "bnb",  "nf4",  "instruct", "thinking", "chat", "hf",   "base",
    "it",         "2407",    "2501", "2507", "v01",      "v02",      "v03",  "bf16", "fp8",
    "0528",       "0905",    "pt",   "yaml", "nemo",     "8k",       "gptq", "awq",  "int4"};

// Ways that a config.json names; fp8 and mxfp4 are of usual bases, which are trained in 16 bits.
constexpr std::string_view kQuantised[] = {
    "gptq",         "awq",        "aqlm",       "hqq",    "eetq", "quanto", "vptq",
    "bitsandbytes", "auto-round", "auto_round", "bitnet", "spqr", "higgs",  "torchao"};

std::string letters_of(const std::string& name) {
  std::string out;
  const std::size_t slash = name.find_last_of("/\\");
  for (const char c : name.substr(slash == std::string::npos ? 0 : slash + 1)) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) continue;
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

bool drop_ending(std::string& word) {
  for (const std::string_view end : kEndings) {
    if (word == end || !word.ends_with(end)) continue;
    word.resize(word.size() - end.size());
    return true;
  }
  return false;
}

std::optional<std::string> known(const std::string& word) {
  for (const OtherName& n : kOtherNames) {
    if (n.theirs == word) return std::string(n.ours);
  }
  for (const std::string_view ours : kOurs) {
    if (letters_of(std::string(ours)) == word) return std::string(ours);
  }
  return {};
}

}  // namespace

std::string shipped_model(const std::string& name) {
  std::string word = letters_of(name);
  if (word.compare(0, 4, "meta") == 0) word.erase(0, 4);
  for (;;) {
    if (const auto ours = known(word)) return *ours;
    if (!drop_ending(word)) return "";
  }
}

namespace {

// Whole numbers, which compressed-tensors packs; its floats are fp8's.
bool packs_integers(const Json& config) {
  const Json& format = value_at(config, "quantization_config.format");
  const std::string name = format.is_string() ? format.get<std::string>() : "";
  return name.find("pack") != std::string::npos || name.find("int") != std::string::npos;
}

}  // namespace

std::string quantised_config(const Json& config) {
  const Json& way = value_at(config, "quantization_config.quant_method");
  if (value_at(config, "quantization_config.load_in_4bit") == true) return "bitsandbytes";
  if (!way.is_string()) return "";
  if (way == "compressed-tensors" && packs_integers(config)) return "compressed-tensors";
  for (const std::string_view known : kQuantised) {
    if (way == known) return std::string(known);
  }
  return "";
}

std::string quantised_base(const std::string& name) {
  const std::string word = letters_of(name);
  for (const char* way : {"int8", "awq", "gptq", "nf4", "bnb4bit", "int4", "aqlm", "hqq", "gguf"}) {
    if (word.find(way) != std::string::npos) return way;
  }
  return "";
}

}  // namespace orrery
