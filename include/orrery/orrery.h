// SPDX-License-Identifier: Apache-2.0
//
// Orrery for other programs, in C and in C++: a command and a request in, an answer out.
//
//   orrery::Engine engine;
//   const auto a = engine.call("estimate", R"({"run": "gpt3-175b-1024-a100", "tp": 4})");
//   if (a.code == 0) std::cout << *a.number("step_time_s") << " s\n";
//
// Commands are those of the `orrery` program: estimate, memory, explain, simulate, search, sweep,
// compare, comm, collective, capacity, validate, calibrate, import, export, merge, list and show. A
// request is a JSON object. Its keys are the command's options by the names of their flags in
// snake_case ("sequence_length": 8192); `run` is the name of a run, a path, or the object a run
// file holds; `set` is an object of paths and values. `format` is "json" (the default), "text",
// "csv", or "html" and "markdown" where a command has them. A file that a command reads is given
// with its text: {"file": "log.txt", "text": "…"}. docs/library.md has them all.
//
// The bytes of an answer are those that the program prints for the same question. Values are SI
// units unless their key names another (`peak_gib`).
//
// Codes: 0 an answer; 2 the request is wrong, `error` is one line that says where, what was found
// and what is allowed; 3 a sound question whose answer is no (it does not fit, nothing was found):
// the answer is there; 4 a tolerance of `validate` is not met; 130 stopped on request; 1 a fault of
// Orrery's own. Nothing is thrown across this interface but std::bad_alloc by the C++ part. A NULL
// engine, session or command is answered with code 2, any other NULL means that nothing is given; a
// text beyond the count, or of a NULL answer, is "".
//
// Threads: calls on one engine may come from several threads at once. Documents by name are read
// once and kept for the engine's life; a user's own files are read anew by each call.
//
// Only the C part is a binary interface; the C++ part is inline over it.
#pragma once

// NOLINTBEGIN(modernize-deprecated-headers, modernize-use-using): C reads this part
#include <stddef.h>

#if defined(__GNUC__)
#define ORRERY_API __attribute__((visibility("default")))
#else
#define ORRERY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct orrery_engine orrery_engine;
typedef struct orrery_answer orrery_answer;
typedef struct orrery_session orrery_session;

// The configs of the folders that the program looks in, then those built into the library; all
// processors. `options` is NULL or JSON: {"config_dir": "looked in first", "workers": 4}; "-" as
// folder: those built in alone, and files that a request names. Where they are wrong, every call
// answers so. NULL: out of memory.
ORRERY_API orrery_engine* orrery_new(const char* options);

// The configs built into the library alone: opens no file, starts no thread.
ORRERY_API orrery_engine* orrery_new_builtin(void);

ORRERY_API void orrery_free(orrery_engine* engine);

// Asked now and then while a call works, from any of its threads, one at a time: `done` of `total`
// pieces. Other than 0 stops the call. NULL: nobody. Not while a call is on its way.
typedef int (*orrery_progress)(void* user, long long done, long long total);
ORRERY_API void orrery_watch(orrery_engine* engine, orrery_progress progress, void* user);

// Never NULL but out of memory. The strings of an answer live as long as it does, end in NUL, and
// are UTF-8.
ORRERY_API orrery_answer* orrery_call(orrery_engine* engine, const char* command,
                                      const char* request);
ORRERY_API void orrery_answer_free(orrery_answer* answer);

// A run that stays open while its keys change, for sliders and loops: what does not hang on a
// changed key is not resolved again. `request` is that of an estimate. Never NULL but out of
// memory or an engine; close it before its engine is freed. One thread at a time.
ORRERY_API orrery_session* orrery_open(orrery_engine* engine, const char* request);
// A key of the run file by its path, "parallel.tp"; `value` is JSON, or else a text; "null" and
// NULL take the key away. 0: out of memory. A wrong value shows in the next answer.
ORRERY_API int orrery_set(orrery_session* session, const char* path, const char* value);
// The answer of orrery_call() with the request as opened, all keys set since in `set`, in the order
// of setting, and `options`: NULL, or an object of further keys ({"format": "text"}).
ORRERY_API orrery_answer* orrery_ask(orrery_session* session, const char* command,
                                     const char* options);
ORRERY_API void orrery_close(orrery_session* session);

ORRERY_API int orrery_code(const orrery_answer* answer);
// The answer in the format that was asked for. `size` may be NULL.
ORRERY_API const char* orrery_text(const orrery_answer* answer, size_t* size);
ORRERY_API const char* orrery_error(const orrery_answer* answer);  // "" where there is none
ORRERY_API size_t orrery_warning_count(const orrery_answer* answer);
ORRERY_API const char* orrery_warning(const orrery_answer* answer, size_t i);
// Pages, traces and documents beside the answer, by the names that the request gave.
ORRERY_API size_t orrery_file_count(const orrery_answer* answer);
ORRERY_API const char* orrery_file_name(const orrery_answer* answer, size_t i);
ORRERY_API const char* orrery_file_text(const orrery_answer* answer, size_t i, size_t* size);
// All of it as one line of JSON, as `orrery call` writes it. NULL: out of memory.
ORRERY_API const char* orrery_line(orrery_answer* answer);

// A number of a JSON answer by its path, "memory.peak_gib" or "best.0.parallel.tp". 0: it has none.
ORRERY_API int orrery_number(orrery_answer* answer, const char* path, double* value);

ORRERY_API const char* orrery_version(void);

#ifdef __cplusplus
}  // extern "C"

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

class Engine {
 public:
  struct Answer {
    int code = 0;
    std::string text;  // in the format that was asked for
    std::string error;
    std::vector<std::string> warnings;
    std::vector<std::pair<std::string, std::string>> files;  // name, text

    // A number of a JSON answer by its path: "memory.peak_gib".
    std::optional<double> number(const std::string& path) const {
      double value = 0;
      if (orrery_number(handle.get(), path.c_str(), &value) == 0) return {};
      return value;
    }

    std::shared_ptr<orrery_answer> handle;
  };

  // True stops the call.
  using Progress = std::function<bool(long long done, long long total)>;

  // `options` as in orrery_new().
  explicit Engine(const std::string& options = "{}", Progress progress = {})
      : Engine(orrery_new(options.c_str()), std::move(progress)) {}

  // Configs built into the library alone.
  static Engine builtin(Progress progress = {}) {
    return {orrery_new_builtin(), std::move(progress)};
  }

  Answer call(const std::string& command, const std::string& request) const {
    return taken(orrery_call(engine_.get(), command.c_str(), request.c_str()));
  }

  // A run that stays open while its keys change:
  //
  //   auto session = engine.open(R"({"run": "gpt3-175b-1024-a100"})");
  //   session.set("parallel.tp", "4");
  //   const auto a = session.estimate();
  class Session {
   public:
    // `value` is JSON, or else a text; "null" takes the key away.
    void set(const std::string& path, const std::string& value) {
      if (orrery_set(session_.get(), path.c_str(), value.c_str()) == 0) throw std::bad_alloc();
    }
    Answer estimate() const { return ask("estimate"); }
    Answer ask(const std::string& command, const std::string& options = "{}") const {
      return taken(orrery_ask(session_.get(), command.c_str(), options.c_str()));
    }

   private:
    friend class Engine;
    explicit Session(const Engine& engine, const std::string& request)
        : engine_(engine.engine_),
          progress_(engine.progress_),
          session_(orrery_open(engine_.get(), request.c_str()), orrery_close) {
      if (!session_) throw std::bad_alloc();
    }

    std::shared_ptr<orrery_engine> engine_;  // outlives the session
    std::shared_ptr<Progress> progress_;
    std::shared_ptr<orrery_session> session_;
  };

  Session open(const std::string& request) const { return Session(*this, request); }

 private:
  static Answer taken(orrery_answer* raw) {
    if (raw == nullptr) throw std::bad_alloc();
    Answer a;
    a.handle = std::shared_ptr<orrery_answer>(raw, orrery_answer_free);
    a.code = orrery_code(raw);
    a.error = orrery_error(raw);
    size_t size = 0;
    const char* text = orrery_text(raw, &size);
    a.text.assign(text, size);
    for (size_t i = 0; i < orrery_warning_count(raw); ++i) {
      a.warnings.emplace_back(orrery_warning(raw, i));
    }
    for (size_t i = 0; i < orrery_file_count(raw); ++i) {
      const char* file = orrery_file_text(raw, i, &size);
      a.files.emplace_back(orrery_file_name(raw, i), std::string(file, size));
    }
    return a;
  }

  Engine(orrery_engine* raw, Progress progress)
      : progress_(std::make_shared<Progress>(std::move(progress))), engine_(raw, orrery_free) {
    if (raw == nullptr) throw std::bad_alloc();
    if (!*progress_) return;
    orrery_watch(
        raw,
        [](void* user, long long done, long long total) {
          return (*static_cast<Progress*>(user))(done, total) ? 1 : 0;
        },
        progress_.get());
  }

  std::shared_ptr<Progress> progress_;
  std::shared_ptr<orrery_engine> engine_;
};

}  // namespace orrery
#endif
// NOLINTEND(modernize-deprecated-headers, modernize-use-using)
