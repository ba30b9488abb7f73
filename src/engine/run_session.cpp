// SPDX-License-Identifier: Apache-2.0
#include "engine/run_session.h"

#include <utility>

#include "core/json.h"
#include "engine/command_engine.h"
#include "engine/overrides.h"

namespace orrery {
namespace {

constexpr const char* kSet = "set";

// `set` as an object, so that a key can be set anew.
Json sets_of(const Json& request) {
  if (!request.contains(kSet)) return Json::object();
  Json sets = Json::object();
  Request asked(request, Asker::request);
  for (Override& o : given_sets(asked)) {
    sets.erase(o.path);
    sets[o.path] = std::move(o.value);
  }
  return sets;
}

void lay_over(Json& request, const Json& options) {
  for (const auto& [key, value] : options.items()) request[key] = value;
}

}  // namespace

RunSession::RunSession(ConfigSource configs, std::string_view request)
    : configs_(kept(std::move(configs), KeptPaths::yes)),
      request_(std::make_shared<Json>(Json::object())) {
  refused_ = guarded_answer([&] {
    Json asked = parse_json(request, "request");
    Reader(asked, "request").must_be_object();
    Json sets = sets_of(asked);
    asked[kSet] = std::move(sets);
    *request_ = std::move(asked);
    return CommandAnswer();
  });
}

void RunSession::set(const std::string& path, const std::string& value) {
  if (!refused_.error.empty()) return;
  Json& sets = (*request_)[kSet];
  sets.erase(path);
  sets[path] = json_or_text(value);
}

CommandAnswer RunSession::ask(std::string_view command, std::string_view options,
                              const EngineHooks& hooks) const {
  if (!refused_.error.empty()) return refused_;
  return guarded_answer([&] {
    Json asked = *request_;
    const Json more = parse_json(options, "options");
    Reader(more, "options").must_be_object();
    lay_over(asked, more);
    return CommandEngine(configs_, hooks).call(command, asked, Asker::request);
  });
}

}  // namespace orrery
