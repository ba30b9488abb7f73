// SPDX-License-Identifier: Apache-2.0
#include "engine/c_interface.h"

#include <atomic>
#include <memory>

#include "core/error.h"
#include "core/json_in.h"
#include "core/json_path.h"
#include "engine/config_source.h"
#include "orrery/version.h"

namespace orrery {
namespace {

// The progress of one call: one report at a time, and its wish to stop is remembered.
class Watch {
 public:
  Watch(orrery_progress progress, void* user) : progress_(progress), user_(user) {}

  // One that throws, against its contract, stops the call: no thread of ours may end the program.
  void report(std::int64_t done, std::int64_t total) {
    const std::lock_guard<std::mutex> lock(mutex_);
    try {
      if (progress_(user_, done, total) != 0) stopped_ = true;
    } catch (...) {
      stopped_ = true;
    }
  }
  bool stopped() const { return stopped_; }

 private:
  orrery_progress progress_;
  void* user_;
  std::mutex mutex_;
  std::atomic<bool> stopped_{false};
};

EngineHooks watched(const orrery_engine& engine) {
  EngineHooks hooks = engine.hooks;
  if (engine.progress == nullptr) return hooks;
  const auto watch = std::make_shared<Watch>(engine.progress, engine.user);
  hooks.progress = [watch](std::int64_t done, std::int64_t total) { watch->report(done, total); };
  hooks.stopped = [watch] { return watch->stopped(); };
  return hooks;
}

const char* text_or(const char* text, const char* otherwise) {
  return text == nullptr ? otherwise : text;
}

// A handle with the answer to `question`; that of wrong options where the engine has such.
orrery_answer* answer_of(const orrery_engine& engine,
                         const std::function<CommandAnswer(const EngineHooks&)>& question) {
  auto answer = std::make_unique<orrery_answer>();
  if (engine.error.empty()) {
    answer->answer = question(watched(engine));
  } else {
    answer->answer.code = ExitCode::wrong_input;
    answer->answer.error = engine.error;
  }
  return answer.release();
}

// The answer to a question that lacks what it is asked of.
orrery_answer* refusal(const char* found, const char* allowed) {
  auto answer = std::make_unique<orrery_answer>();
  answer->answer = guarded_answer([&]() -> CommandAnswer {
    throw InputError("orrery", "", std::string(found) + " that is NULL", allowed);
  });
  return answer.release();
}

const char* with_size(const std::string& text, size_t* size) {
  if (size != nullptr) *size = text.size();
  return text.c_str();
}

const std::string kNoWords;

// The i-th of a list, "" of one beyond it.
template <class List, class Text>
const std::string& nth_text(const List& list, size_t i, Text text) {
  return i < list.size() ? text(list[i]) : kNoWords;
}

constexpr const char* kAnEngine = "what orrery_new() gave";
constexpr const char* kACommand = "the name of a command, such as \"estimate\"";

// A caller's NULL stands for an answer with nothing in it.
const CommandAnswer& answer_in(const orrery_answer* answer) {
  static const CommandAnswer kEmpty = [] {
    CommandAnswer none;
    none.code = ExitCode::wrong_input;
    return none;
  }();
  return answer == nullptr ? kEmpty : answer->answer;
}

}  // namespace
}  // namespace orrery

// No exception leaves the C interface: out of memory is NULL. A NULL where something must stand is
// answered with code 2, an index beyond a list with "".
orrery_engine* orrery_new_builtin(void) try {
  auto engine = std::make_unique<orrery_engine>();
  engine->configs = orrery::kept(orrery::builtin_configs(), orrery::KeptPaths::no);
  return engine.release();
} catch (...) {
  return nullptr;
}

void orrery_free(orrery_engine* engine) { delete engine; }

void orrery_watch(orrery_engine* engine, orrery_progress progress, void* user) {
  if (engine == nullptr) return;
  engine->progress = progress;
  engine->user = user;
}

orrery_answer* orrery_call(orrery_engine* engine, const char* command, const char* request) try {
  if (engine == nullptr) return orrery::refusal("an engine", orrery::kAnEngine);
  if (command == nullptr) return orrery::refusal("a command", orrery::kACommand);
  return orrery::answer_of(*engine, [&](const orrery::EngineHooks& hooks) {
    return orrery::CommandEngine(engine->configs, hooks)
        .call(command, orrery::text_or(request, "{}"));
  });
} catch (...) {
  return nullptr;
}

orrery_session* orrery_open(orrery_engine* engine, const char* request) try {
  if (engine == nullptr) return nullptr;
  return new orrery_session{engine, {engine->configs, orrery::text_or(request, "{}")}};
} catch (...) {
  return nullptr;
}

int orrery_set(orrery_session* session, const char* path, const char* value) try {
  if (session == nullptr || path == nullptr) return 0;
  session->run.set(path, orrery::text_or(value, "null"));
  return 1;
} catch (...) {
  return 0;
}

orrery_answer* orrery_ask(orrery_session* session, const char* command, const char* options) try {
  if (session == nullptr) return orrery::refusal("a session", "what orrery_open() gave");
  if (command == nullptr) return orrery::refusal("a command", orrery::kACommand);
  return orrery::answer_of(*session->engine, [&](const orrery::EngineHooks& hooks) {
    return session->run.ask(command, orrery::text_or(options, "{}"), hooks);
  });
} catch (...) {
  return nullptr;
}

void orrery_close(orrery_session* session) { delete session; }

void orrery_answer_free(orrery_answer* answer) { delete answer; }

int orrery_code(const orrery_answer* answer) {
  return static_cast<int>(orrery::answer_in(answer).code);
}

const char* orrery_text(const orrery_answer* answer, size_t* size) try {
  return orrery::with_size(orrery::answer_in(answer).text.str(), size);
} catch (...) {
  return orrery::with_size(orrery::kNoWords, size);
}

const char* orrery_error(const orrery_answer* answer) {
  return orrery::answer_in(answer).error.c_str();
}

size_t orrery_warning_count(const orrery_answer* answer) {
  return orrery::answer_in(answer).warnings.size();
}

const char* orrery_warning(const orrery_answer* answer, size_t i) {
  return orrery::nth_text(orrery::answer_in(answer).warnings, i,
                          [](const std::string& line) -> const std::string& { return line; })
      .c_str();
}

size_t orrery_file_count(const orrery_answer* answer) {
  return orrery::answer_in(answer).files.size();
}

const char* orrery_file_name(const orrery_answer* answer, size_t i) {
  return orrery::nth_text(orrery::answer_in(answer).files, i,
                          [](const orrery::NamedText& f) -> const std::string& { return f.name; })
      .c_str();
}

const char* orrery_file_text(const orrery_answer* answer, size_t i, size_t* size) {
  return orrery::with_size(
      orrery::nth_text(orrery::answer_in(answer).files, i,
                       [](const orrery::NamedText& f) -> const std::string& { return f.text; }),
      size);
}

const char* orrery_line(orrery_answer* answer) try {
  if (answer == nullptr) return "";
  const std::lock_guard<std::mutex> lock(answer->mutex);
  if (answer->line.empty()) answer->line = orrery::one_line(answer->answer);
  return answer->line.c_str();
} catch (...) {
  return nullptr;
}

int orrery_number(orrery_answer* answer, const char* path, double* value) try {
  if (answer == nullptr || path == nullptr || value == nullptr) return 0;
  const std::lock_guard<std::mutex> lock(answer->mutex);
  if (answer->answer.text.document() == nullptr && !answer->document) {
    answer->document = orrery::json_in(answer->answer.text.str()).value_or(orrery::Json());
  }
  const orrery::Json* document = answer->answer.text.document();
  const orrery::Json* at =
      orrery::find_within(document != nullptr ? *document : *answer->document, path);
  if (at == nullptr || !at->is_number()) return 0;
  *value = at->get<double>();
  return 1;
} catch (...) {
  return 0;
}

const char* orrery_version(void) { return orrery::kVersion; }
