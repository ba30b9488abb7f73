// SPDX-License-Identifier: Apache-2.0
//
// `orrery mcp`: the commands as tools of the Model Context Protocol, revisions 2024-11-05 to
// 2025-06-18 (modelcontextprotocol.io/specification): JSON-RPC 2.0, one message a line on standard
// input and output. Tool calls are answered one after another by a thread of their own, so that a
// call can be cancelled and a ping answered meanwhile.
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
    "for one run, `search` finds the best layout, `explain` shows where a number comes from. Every "
    "prediction has an 80 % interval and says what it rests on: pass both on.";

constexpr std::chrono::milliseconds kBetweenReports{200};

struct ToolCall {
  Json id;
  Json params;
};

class McpServer {
 public:
  explicit McpServer(const Session& s)
      : configs_(kept(configs_of(s), KeptPaths::no)), hooks_(hooks_of(s)) {}

  // To the end of the input; calls on their way are answered first.
  void serve() {
    std::thread worker([this] { work(); });
    for (std::string line; next_line(line);) {
      if (!is_blank(line)) take(line);
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
    worker.join();
  }

 private:
  void send(Json message) {
    message["jsonrpc"] = "2.0";
    const std::lock_guard<std::mutex> lock(output_);
    write_text("-", message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  void reply(const Json& id, Json result) { send({{"id", id}, {"result", std::move(result)}}); }
  void refuse(const Json& id, int code, const std::string& why) {
    send({{"id", id}, {"error", {{"code", code}, {"message", why}}}});
  }

  void take(const std::string& line) {
    const Json message = Json::parse(line, nullptr, false);
    if (message.is_discarded()) {
      refuse(nullptr, kParseError, "found a line that is no JSON; allowed: one message a line");
      return;
    }
    const bool request = message.is_object() && message.value("jsonrpc", Json()) == "2.0" &&
                         message.contains("method") && message["method"].is_string();
    const Json id = request && message.contains("id") ? message["id"] : Json();
    if (!request || (message.contains("id") && !id.is_string() && !id.is_number_integer())) {
      // An answer of the client has no method; nothing was asked of it.
      if (message.is_object() && message.contains("result")) return;
      refuse(nullptr, kInvalidRequest, "found no request of JSON-RPC 2.0");
      return;
    }
    const Json params = message.value("params", Json::object());
    if (id.is_null()) {
      take_notification(message["method"].get<std::string>(), params);
    } else {
      take_request(id, message["method"].get<std::string>(), params);
    }
  }

  void take_notification(const std::string& method, const Json& params) {
    if (method == "notifications/cancelled" && params.is_object() && params.contains("requestId")) {
      cancel(params["requestId"]);
    }
  }

  void take_request(const Json& id, const std::string& method, const Json& params) {
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
      refuse(
          id, kMethodNotFound,
          "found the method \"" + method + "\"; allowed: initialize, ping, tools/list, tools/call");
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
      refuse(call.id, kInvalidParams, "Unknown tool: " + name.dump());
    } else if (!arguments.is_object()) {
      refuse(call.id, kInvalidParams, "found arguments that are no object");
    } else {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back(std::move(call));
      changed_.notify_one();
    }
  }

  // A cancelled call gets no answer.
  void cancel(const Json& id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(waiting_, [&id](const ToolCall& c) { return c.id == id; });
    if (at_work_ && *at_work_ == id) stop_ = true;
  }

  std::optional<ToolCall> next_call() {
    std::unique_lock<std::mutex> lock(mutex_);
    at_work_.reset();
    changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return {};
    ToolCall call = std::move(waiting_.front());
    waiting_.pop_front();
    at_work_ = call.id;
    stop_ = false;
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
      if (!stop_) reply(call->id, result);
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
      send({{"method", "notifications/progress"},
            {"params", {{"progressToken", token}, {"progress", done}, {"total", total}}}});
    };
  }

  ConfigSource configs_;
  EngineHooks hooks_;
  std::mutex output_;
  std::mutex progress_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<ToolCall> waiting_;
  std::optional<Json> at_work_;  // the id of the call
  bool ended_ = false;
  std::atomic<bool> stop_{false};
};

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): as the table of commands has it
ExitCode run_mcp(Json /*request*/, const Session& s) {
  McpServer(s).serve();
  return ExitCode::answer;
}

}  // namespace orrery
