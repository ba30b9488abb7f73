// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of config.json files: which names mean one of our keys, which say nothing about
// the model's sizes, and which look as if they did.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// Whether `word` is one of the words of `text`, which blanks separate.
bool has_word(std::string_view text, std::string_view word);

std::vector<std::string> words_in(std::string_view text);

// A key of ours, or of the reader (model/hf_families.h), and the names that files give it. A name
// stands in one row only; families that mean something else by it rename it.
struct HfSpelling {
  std::string_view ours;
  std::string_view theirs;  // separated by blanks, the most common first
};
std::span<const HfSpelling> hf_spellings();

// Probabilities of dropout.
std::string_view hf_dropout_keys();

// Switches of any family's file that make it another model.
std::string_view hf_refused_keys();

// Objects that hold keys of the model itself, and those that hold a language model within a larger
// one.
std::string_view hf_parts();
std::string_view hf_language_models();

// A key that says nothing about the sizes of the model.
bool hf_is_irrelevant(std::string_view key);

// A key whose name is that of a size or of a part: a model read without it may be another.
bool hf_looks_like_a_size(std::string_view key);

}  // namespace orrery
