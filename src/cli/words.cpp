// SPDX-License-Identifier: Apache-2.0
#include "cli/words.h"

#include <CLI/CLI.hpp>

#include "core/error.h"
#include "engine/request.h"

namespace orrery {
namespace {

bool is_file(const Json& value) {
  const Json& one = value.is_array() && !value.empty() ? value.front() : value;
  return one.is_object() && one.contains("file");
}

// An option's callback on a word shows the option's key and whether it takes a file.
void try_out(CLI::Option& option, Json& request, CommandWord& word) {
  request = Json::object();
  try {
    option.add_result("1");
    option.run_callback();
  } catch (const InputError&) {  // a choice of words: no file
    return;
  } catch (const CLI::Error&) {  // a number
    return;
  }
  if (request.empty()) return;
  word.key = request.begin().key();
  word.file = is_file(request.begin().value());
  word.many = request.begin().value().is_array();
}

CommandWord word_of(CLI::Option& option, Json& request) {
  CommandWord word;
  word.help = option.get_description();
  word.type = option.get_type_name();
  word.is_switch = option.get_items_expected_max() == 0;
  if (!option.get_positional()) {
    word.flag = "--" + option.get_lnames().front();
    word.key = key_of(word.flag);
  }
  if (!word.is_switch) try_out(option, request, word);
  return word;
}

}  // namespace

std::vector<CommandWord> words_of(const Command& c) {
  CLI::App app;
  app.set_help_flag();
  Json request;
  declare_options(c, app, request);
  std::vector<CommandWord> words;
  for (CLI::Option* option : app.get_options({})) words.push_back(word_of(*option, request));
  return words;
}

}  // namespace orrery
