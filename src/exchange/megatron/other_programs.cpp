// SPDX-License-Identifier: Apache-2.0
//
// Programs of Megatron-LM that train no decoder alone.
#include <algorithm>
#include <array>

#include "exchange/megatron/megatron.h"
#include "exchange/text_lines.h"

namespace orrery::megatron {
namespace {

struct OtherProgram {
  std::string_view begins;
  const char* why;
};
constexpr std::array kPrograms = {
    OtherProgram{"pretrain_bert",
                 "an encoder, whose attention is not causal; give its config.json with --model"},
    OtherProgram{"pretrain_t5",
                 "an encoder and a decoder; give the model's config.json with --model"},
    OtherProgram{"pretrain_ict", "two encoders, which no model of ours is"},
    OtherProgram{"pretrain_biencoder", "two encoders, which no model of ours is"},
    OtherProgram{"pretrain_realm", "two encoders, which no model of ours is"},
    OtherProgram{"pretrain_retro",
                 "a decoder that reads retrieved text, which no model of ours is"},
    OtherProgram{"pretrain_vision", "a model of images, which no model of ours is"},
    OtherProgram{"pretrain_vlm",
                 "an encoder of images stands before it; give the whole model's "
                 "config.json with --model"},
};

constexpr std::string_view kPatterns[] = {"hybrid_override_pattern", "hybrid_layer_pattern"};
constexpr std::string_view kShares[] = {"hybrid_attention_ratio", "hybrid_mlp_ratio"};

// The tokenizers and words of BERT.
bool is_word_piece(const Settings& settings) {
  return std::any_of(settings.all().begin(), settings.all().end(), [](const ForeignSetting& s) {
    const std::string text = s.value.is_string() ? s.value.get<std::string>() : "";
    return (s.name == "tokenizer_type" && begins_with(text, "BertWordPiece")) ||
           (s.name == "vocab_file" && contains(text, "bert"));
  });
}

}  // namespace

const char* other_program(const std::string& program, const Settings& settings) {
  const std::string name = base_name(program);
  const auto says = [&](std::string_view setting) { return settings.has(setting); };
  const bool order = std::any_of(std::begin(kPatterns), std::end(kPatterns), says) ||
                     std::any_of(std::begin(kShares), std::end(kShares), says);
  if (begins_with(name, "pretrain_mamba") && !order)
    return "state-space layers, whose order no setting says; --model names the model";
  // Settings of a test, which names no program.
  if (program.empty() && (says("encoder_num_layers") || says("vocab_extra_ids")))
    return "an encoder and a decoder; give the model's config.json with --model";
  if (program.empty() && (says("bert_no_binary_head") || is_word_piece(settings)))
    return kPrograms.front().why;
  const auto found = std::find_if(kPrograms.begin(), kPrograms.end(), [&](const OtherProgram& p) {
    return begins_with(name, p.begins);
  });
  return found == kPrograms.end() ? nullptr : found->why;
}

}  // namespace orrery::megatron
