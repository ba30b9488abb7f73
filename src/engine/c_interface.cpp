// SPDX-License-Identifier: Apache-2.0
#include "engine/c_interface.h"

#include <atomic>
#include <memory>

#include "core/json_path.h"
#include "engine/config_source.h"
#include "orrery/version.h"

namespace orrery {
namespace {

// The progress of one call: one report at a time, and its wish to stop is remembered.
class Watch {
 public:
  Watch(orrery_progress progress, void* user) : progress_(progress), user_(user) {}

  void report(std::int64_t done, std::int64_t total) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (progress_(user_, done, total) != 0) stopped_ = true;
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

const char* with_size(const std::string& text, size_t* size) {
  if (size != nullptr) *size = text.size();
  return text.c_str();
}

}  // namespace
}  // namespace orrery

// No exception leaves the C interface: out of memory is NULL.
orrery_engine* orrery_new_builtin(void) try {
  auto engine = std::make_unique<orrery_engine>();
  engine->configs = orrery::kept(orrery::builtin_configs(), orrery::KeptPaths::no);
  return engine.release();
} catch (...) {
  return nullptr;
}

void orrery_free(orrery_engine* engine) { delete engine; }

void orrery_watch(orrery_engine* engine, orrery_progress progress, void* user) {
  engine->progress = progress;
  engine->user = user;
}

orrery_answer* orrery_call(orrery_engine* engine, const char* command, const char* request) try {
  return orrery::answer_of(*engine, [&](const orrery::EngineHooks& hooks) {
    return orrery::CommandEngine(engine->configs, hooks)
        .call(command, orrery::text_or(request, "{}"));
  });
} catch (...) {
  return nullptr;
}

orrery_session* orrery_open(orrery_engine* engine, const char* request) try {
  return new orrery_session{engine, {engine->configs, orrery::text_or(request, "{}")}};
} catch (...) {
  return nullptr;
}

int orrery_set(orrery_session* session, const char* path, const char* value) try {
  session->run.set(path, orrery::text_or(value, "null"));
  return 1;
} catch (...) {
  return 0;
}

orrery_answer* orrery_ask(orrery_session* session, const char* command, const char* options) try {
  return orrery::answer_of(*session->engine, [&](const orrery::EngineHooks& hooks) {
    return session->run.ask(command, orrery::text_or(options, "{}"), hooks);
  });
} catch (...) {
  return nullptr;
}

void orrery_close(orrery_session* session) { delete session; }

void orrery_answer_free(orrery_answer* answer) { delete answer; }

int orrery_code(const orrery_answer* answer) { return static_cast<int>(answer->answer.code); }

const char* orrery_text(const orrery_answer* answer, size_t* size) {
  return orrery::with_size(answer->answer.text.str(), size);
}

const char* orrery_error(const orrery_answer* answer) { return answer->answer.error.c_str(); }

size_t orrery_warning_count(const orrery_answer* answer) { return answer->answer.warnings.size(); }

const char* orrery_warning(const orrery_answer* answer, size_t i) {
  return answer->answer.warnings.at(i).c_str();
}

size_t orrery_file_count(const orrery_answer* answer) { return answer->answer.files.size(); }

const char* orrery_file_name(const orrery_answer* answer, size_t i) {
  return answer->answer.files.at(i).name.c_str();
}

const char* orrery_file_text(const orrery_answer* answer, size_t i, size_t* size) {
  return orrery::with_size(answer->answer.files.at(i).text, size);
}

const char* orrery_line(orrery_answer* answer) try {
  const std::lock_guard<std::mutex> lock(answer->mutex);
  if (answer->line.empty()) answer->line = orrery::one_line(answer->answer);
  return answer->line.c_str();
} catch (...) {
  return nullptr;
}

int orrery_number(orrery_answer* answer, const char* path, double* value) try {
  const std::lock_guard<std::mutex> lock(answer->mutex);
  if (answer->answer.text.document() == nullptr && !answer->document) {
    answer->document = orrery::Json::parse(answer->answer.text.str(), nullptr, false);
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
