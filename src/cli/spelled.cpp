// SPDX-License-Identifier: Apache-2.0
#include "cli/spelled.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace orrery {
namespace {

struct OtherName {
  std::string_view theirs;
  const char* ours;
};
constexpr std::array kOtherNames = {
    OtherName{"--seq-len", "--sequence-length"},
    OtherName{"--seq-length", "--sequence-length"},
    OtherName{"--max-seq-length", "--sequence-length"},
    OtherName{"--global-batch-size", "--global-batch"},
    OtherName{"--micro-batch-size", "--micro-batch"},
};

// huggingface/peft src/peft/tuners/lora/config.py: LoraConfig.r
constexpr const char* kRankOfPeft = "8";

std::string in_our_words(const std::string& word) {
  const std::size_t equals = word.find('=');
  std::string name = word.substr(0, equals);
  std::replace(name.begin(), name.end(), '_', '-');
  for (const OtherName& o : kOtherNames) {
    if (name == o.theirs) return o.ours + (equals < word.size() ? word.substr(equals) : "");
  }
  return word;
}

bool is_any(const std::string& word, std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), word) != of.end();
}

}  // namespace

std::vector<std::string> spelled(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    out.push_back(in_our_words(words[i]));
    if (is_any(words[i], {"--lora", "--qlora"}) && (next.empty() || next.front() == '-')) {
      out.emplace_back(kRankOfPeft);
      spdlog::warn("{}: rank {}, the default of PEFT; {} RANK for another", words[i], kRankOfPeft,
                   words[i]);
    }
    if (words[i] == "--gradient-checkpointing" && is_any(next, {"true", "True", "1"})) ++i;
    if (words[i] == "--gradient-checkpointing" && is_any(next, {"false", "False", "0"})) {
      out.back() = "--recompute";
      out.emplace_back("none");
      ++i;
    }
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace orrery
