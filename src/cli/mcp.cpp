// SPDX-License-Identifier: Apache-2.0
//
// `orrery mcp`: the commands as tools of the Model Context Protocol, revisions 2024-11-05 to
// 2025-06-18 (modelcontextprotocol.io/specification): JSON-RPC 2.0, one message a line on standard
// input and output. Tool calls are answered one after another by a thread of their own, so that a
// call can be cancelled and a ping answered meanwhile. A batch (revision 2025-03-26) is answered by
// one list, when the last of its calls has ended.
//
// Bytes of any kind get an answer or an error of the protocol. Errors: InputError where standard
// output cannot be written, which ends the session.
#include "cli/mcp.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/command.h"
#include "cli/input_lines.h"
#include "cli/tool.h"
#include "core/error.h"
#include "engine/command_engine.h"
#include "engine/config_source.h"
#include "io/files.h"
#include "io/interrupt.h"
#include "orrery/version.h"

namespace orrery {
namespace {

// The error codes of JSON-RPC 2.0.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;

// The first is offered where a client wants another.
constexpr std::array kRevisions = {"2025-06-18", "2025-03-26", "2024-11-05"};

constexpr const char* kInstructions =
    "Predicts memory, step time, utilisation and cost of training runs of large models, without a "
    "GPU. `list` and `show` say which models, nodes and frameworks there are; `estimate` answers "
    "for one run, `search` finds the best layout, `limits` says how far a run can go, `diagnose` "
    "why "
    "one is slow or out of memory, `explain` shows where a number comes from. Every "
    "prediction has an 80 % interval and says what it rests on: pass both on.";

constexpr std::chrono::milliseconds kBetweenReports{200};

// Each message has an answer, fifty times as long as the least message.
constexpr std::size_t kMostMessages = 1024;

// The answers of a batch until all of its requests have theirs.
struct Batch {
  Json answers = Json::array();
  std::size_t open = 1;  // requests without an answer, and one while the batch is read
};
using BatchOrNone = std::shared_ptr<Batch>;

// A request as its answer names it.
struct Asked {
  Json id;
  BatchOrNone batch;
};

struct ToolCall {
  Asked asked;
  Json params;
};

class McpServer {
 public:
  McpServer(McpStreams streams, ConfigSource configs, EngineHooks hooks)
      : streams_(std::move(streams)),
        configs_(kept(std::move(configs), KeptPaths::no)),
        hooks_(std::move(hooks)) {}

  // To the end of the input; calls on their way are answered first.
  void serve() {
    std::thread worker([this] { work(); });
    for (std::string line; !unwritable_ && streams_.next_line(line);) {
      if (!is_blank(line)) take_line(line);
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    worker.join();
    if (unwritable_) throw InputError(*why_unwritable_);
  }

 private:
  // The first failure ends the session: whoever asked cannot be told. It may be met by any thread.
  void write_line(const Json& message) {
    const std::lock_guard<std::mutex> lock(output_);
    if (unwritable_) return;
    try {
      std::string line;
      append_json(message, line);
      streams_.write(line + "\n");
    } catch (const InputError& e) {
      why_unwritable_ = e;
      unwritable_ = true;
      stop_ = true;
    }
  }

  static Json marked(Json message) {
    message["jsonrpc"] = "2.0";
    return message;
  }

  // Alone, or in the list of its batch.
  void answer(const Asked& asked, Json message) {
    message["id"] = asked.id;
    if (asked.batch == nullptr) {
      write_line(marked(std::move(message)));
      return;
    }
    {
      const std::lock_guard<std::mutex> lock(batches_);
      asked.batch->answers.push_back(marked(std::move(message)));
    }
    close_one(asked.batch);
  }
  void reply(const Asked& asked, Json result) { answer(asked, {{"result", std::move(result)}}); }
  void refuse(const Asked& asked, int code, const std::string& why) {
    answer(asked, {{"error", {{"code", code}, {"message", why}}}});
  }

  // One request less to answer; the last one sends the list, if anything was asked.
  void close_one(const BatchOrNone& batch) {
    if (batch == nullptr) return;
    Json answers;
    {
      const std::lock_guard<std::mutex> lock(batches_);
      if (--batch->open > 0) return;
      answers = std::move(batch->answers);
    }
    if (!answers.empty()) write_line(answers);
  }
  BatchOrNone one_more(const BatchOrNone& batch) {
    const std::lock_guard<std::mutex> lock(batches_);
    if (batch != nullptr) ++batch->open;
    return batch;
  }

  void take_line(const std::string& line) {
    try {
      const Json message = parse_json(line, "message");
      if (message.is_array() && !message.empty()) {
        take_batch(message);
      } else {
        take(message, nullptr);
      }
    } catch (const InputError& e) {
      refuse({}, kParseError, e.what());
    }
  }

  void take_batch(const Json& messages) {
    if (messages.size() > kMostMessages) {
      refuse({}, kInvalidRequest,
             "found a batch of " + std::to_string(messages.size()) + " messages; allowed: up to " +
                 std::to_string(kMostMessages));
      return;
    }
    const auto batch = std::make_shared<Batch>();
    for (const Json& message : messages) take(message, batch);
    close_one(batch);
  }

  void take(const Json& message, const BatchOrNone& batch) {
    const bool request = message.is_object() && message.value("jsonrpc", Json()) == "2.0" &&
                         message.contains("method") && message["method"].is_string();
    const Json id = request && message.contains("id") ? message["id"] : Json();
    if (!request || (message.contains("id") && !id.is_string() && !id.is_number_integer())) {
      // An answer of the client has no method; nothing was asked of it.
      if (message.is_object() && message.contains("result")) return;
      refuse({nullptr, one_more(batch)}, kInvalidRequest, "found no request of JSON-RPC 2.0");
      return;
    }
    const Json params = message.value("params", Json::object());
    if (id.is_null()) {
      take_notification(message["method"].get<std::string>(), params);
    } else {
      take_request({id, one_more(batch)}, message["method"].get<std::string>(), params);
    }
  }

  void take_notification(const std::string& method, const Json& params) {
    if (method == "notifications/cancelled" && params.is_object() && params.contains("requestId")) {
      cancel(params["requestId"]);
    }
  }

  void take_request(const Asked& id, const std::string& method, const Json& params) {
    if (!params.is_object()) {
      refuse(id, kInvalidParams, "found params that are no object");
    } else if (method == "initialize") {
      reply(id, initialized(params));
    } else if (method == "ping") {
      reply(id, Json::object());
    } else if (method == "tools/list") {
      reply(id, {{"tools", tools()}});
    } else if (method == "tools/call") {
      enqueue({id, params});
    } else {
      refuse(id, kMethodNotFound,
             "found the method " + brief(method) +
                 "; allowed: initialize, ping, tools/list, tools/call");
    }
  }

  static Json initialized(const Json& params) {
    const Json wanted = params.value("protocolVersion", Json());
    const bool known = std::find(kRevisions.begin(), kRevisions.end(), wanted) != kRevisions.end();
    return {{"protocolVersion", known ? wanted : Json(kRevisions.front())},
            {"capabilities", {{"tools", {{"listChanged", false}}}}},
            {"serverInfo", {{"name", "orrery"}, {"version", kVersion}}},
            {"instructions", kInstructions}};
  }

  void enqueue(ToolCall call) {
    const Json name = call.params.value("name", Json());
    const Json arguments = call.params.value("arguments", Json::object());
    if (!name.is_string() || find_tool(name.get<std::string>()) == nullptr) {
      refuse(call.asked, kInvalidParams, "Unknown tool: " + brief(name));
    } else if (!arguments.is_object()) {
      refuse(call.asked, kInvalidParams, "found arguments that are no object");
    } else {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back(std::move(call));
      changed_.notify_one();
    }
  }

  // A cancelled call gets no answer.
  void cancel(const Json& id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(waiting_, [&](const ToolCall& c) {
      if (c.asked.id != id) return false;
      close_one(c.asked.batch);
      return true;
    });
    if (at_work_ && *at_work_ == id) stop_ = true;
  }

  std::optional<ToolCall> next_call() {
    std::unique_lock<std::mutex> lock(mutex_);
    at_work_.reset();
    changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return {};
    ToolCall call = std::move(waiting_.front());
    waiting_.pop_front();
    at_work_ = call.asked.id;
    stop_ = unwritable_.load();
    return call;
  }

  void work() {
    while (const auto call = next_call()) {
      EngineHooks hooks = hooks_;
      hooks.stopped = [this] { return stop_ || is_interrupted(); };
      hooks.progress = reporter(call->params);
      const Json result =
          tool_answer(*find_tool(call->params["name"].get<std::string>()),
                      call->params.value("arguments", Json::object()), {configs_, hooks});
      if (stop_) {
        close_one(call->asked.batch);
      } else {
        reply(call->asked, result);
      }
    }
  }

  // Tells the client how far a call is, where it asked for that.
  std::function<void(std::int64_t, std::int64_t)> reporter(const Json& params) {
    const Json meta = params.value("_meta", Json::object());
    if (!meta.is_object() || !meta.contains("progressToken")) return {};
    using Clock = std::chrono::steady_clock;
    const auto last = std::make_shared<Clock::time_point>(Clock::now());
    return [this, last, token = meta["progressToken"]](std::int64_t done, std::int64_t total) {
      {
        const std::lock_guard<std::mutex> lock(progress_);
        if (Clock::now() - *last < kBetweenReports) return;
        *last = Clock::now();
      }
      write_line(
          marked({{"method", "notifications/progress"},
                  {"params", {{"progressToken", token}, {"progress", done}, {"total", total}}}}));
    };
  }

  McpStreams streams_;
  ConfigSource configs_;
  EngineHooks hooks_;
  std::mutex output_;
  std::optional<InputError> why_unwritable_;
  std::atomic<bool> unwritable_{false};
  std::mutex batches_;
  std::mutex progress_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<ToolCall> waiting_;
  std::optional<Json> at_work_;  // the id of the call
  bool ended_ = false;
  std::atomic<bool> stop_{false};
};

}  // namespace

void serve_mcp(McpStreams streams, ConfigSource configs, EngineHooks hooks) {
  McpServer(std::move(streams), std::move(configs), std::move(hooks)).serve();
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as the table of commands has it
ExitCode run_mcp(Json /*request*/, const Session& s) {
  const auto write = [](const std::string& line) { write_text("-", line); };
  serve_mcp({next_line, write}, configs_of(s), hooks_of(s));
  return ExitCode::answer;
}

}  // namespace orrery
