// SPDX-License-Identifier: Apache-2.0
//
// Any bytes to the C interface: a command, a request, a path and a value, each up to a line break.
#include <array>
#include <cstdlib>
#include <string>

#include "core/json_in.h"
#include "fuzz/harness.h"
#include "orrery/orrery.h"

namespace {

// Texts end at their first NUL, and an absent one is NULL.
struct Words {
  std::array<std::string, 5> text;
  std::array<const char*, 5> word{};

  explicit Words(std::string_view all) {
    for (std::size_t i = 0; i < text.size() && !all.empty(); ++i) {
      const std::size_t end = i + 1 < text.size() ? all.find('\n') : std::string_view::npos;
      text.at(i) = all.substr(0, end);
      word.at(i) = text.at(i).c_str();
      all.remove_prefix(end == std::string_view::npos ? all.size() : end + 1);
    }
  }
};

void take(orrery_answer* a, const char* path, std::size_t i) {
  double value = 0;
  orrery_number(a, path, &value);
  orrery_warning(a, i);
  orrery_file_name(a, i);
  std::size_t size = 0;
  orrery_file_text(a, i, &size);
  orrery_text(a, &size);
  if (!orrery::json_in(orrery_line(a))) std::abort();
  const int code = orrery_code(a);
  if (code == 1 || std::string(orrery_error(a)).find('\n') != std::string::npos) std::abort();
  orrery_answer_free(a);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static orrery_engine* const engine = [] {
    orrery_engine* e = orrery_new_builtin();
    orrery_watch(
        e, [](void*, long long, long long) { return 1; }, nullptr);
    return e;
  }();
  return orrery::fuzz::run(data, size, [&](std::string_view text) {
    const Words w(text);
    take(orrery_call(engine, w.word[0], w.word[1]), w.word[2], size);
    orrery_session* s = orrery_open(engine, w.word[1]);
    orrery_set(s, w.word[2], w.word[3]);
    take(orrery_ask(s, "estimate", w.word[4]), w.word[2], size % 3);
    orrery_close(s);
  });
}
