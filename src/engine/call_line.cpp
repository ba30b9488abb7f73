// SPDX-License-Identifier: Apache-2.0
#include "engine/call_line.h"

#include "core/error.h"

namespace orrery {
namespace {

CommandAnswer answer_of(const CommandEngine& engine, const Json& call) {
  Reader line(call, "call");
  const std::string command = line.at("command").text();
  const auto request = line.find("request");
  line.allow("id");
  line.reject_unknown();
  return engine.call(command, request ? request->json() : Json::object(), Asker::request);
}

}  // namespace

std::string answer_line(const CommandEngine& engine, std::string_view line) {
  Json told = Json::object();
  CommandAnswer answer;
  try {
    const Json call = parse_json(line, "call");
    if (call.is_object() && call.contains("id")) told["id"] = call["id"];
    answer = answer_of(engine, call);
  } catch (const InputError& e) {
    answer.code = ExitCode::wrong_input;
    answer.error = e.what();
  }
  told.update(answer_json(answer));
  return told.dump();
}

}  // namespace orrery
