// SPDX-License-Identifier: Apache-2.0
#include "report/foreign_text.h"

#include "document/words.h"
#include "report/frame.h"

namespace orrery {
namespace {

// What comes out of a file is no place for a line of its own.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

std::string comment(const std::string& mark, const std::string& text) {
  return mark + " " + one_line(text) + "\n";
}

std::string listed(const std::string& title, const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return comment("//", title + " " + joined(names, ", "));
}

// The run as a person writes it: short objects in one line.
std::string laid_out(const Json& run) {
  std::string text = "{\n";
  for (const auto& [key, value] : run.items()) {
    text += (text.size() > 2 ? ",\n" : "") + ("  " + Json(key).dump()) + ": " +
            value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text + "\n}\n";
}

}  // namespace

std::string imported_text(const ImportedRun& r, const std::string& file) {
  std::string text =
      comment("//", "From " + file + ", settings of " + std::string(name_of(r.format)) + ".");
  for (const LeftOver& l : r.not_understood) {
    text += comment("//", "not understood: " + l.setting + " (" + l.why + ")");
  }
  for (const Assumed& a : r.assumed) {
    text += comment("//", "assumed: " + a.path + " " + a.value + " (" + a.why + ")");
  }
  text += listed("without effect here:", r.without_effect);
  text += listed("still missing:", missing_keys(r.run));
  return text + laid_out(r.run);
}

Json imported_json(const ImportedRun& r) {
  Json j = {{"format", name_of(r.format)}, {"run", r.run}};
  j["not_understood"] = json_list(r.not_understood, [&](const LeftOver& l) -> Json {
    return {{"setting", l.setting}, {"why", l.why}};
  });
  j["assumed"] = json_list(r.assumed, [&](const Assumed& a) -> Json {
    return {{"path", a.path}, {"value", a.value}, {"why", a.why}};
  });
  j["without_effect"] = r.without_effect;
  j["missing"] = missing_keys(r.run);
  return versioned(std::move(j));
}

bool has_comments(ForeignFormat format) { return format != ForeignFormat::deepspeed; }

std::string not_said_line(ForeignFormat format, const NotSaid& n) {
  const std::string value = n.value.is_string()
                                ? n.value.get<std::string>()
                                : n.value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return "no equivalent in " + std::string(tool_of(format)) + ": " + n.path + " = " +
         shortened(value, 60);
}

std::string exported_text(ForeignFormat format, const ExportedRun& exported) {
  if (!has_comments(format)) return exported.text;
  std::string text;
  for (const NotSaid& n : exported.not_said) text += comment("#", not_said_line(format, n));
  return text + exported.text;
}

Json exported_json(ForeignFormat format, const ExportedRun& exported) {
  Json j = {{"format", name_of(format)}, {"text", exported.text}};
  j["not_said"] = json_list(exported.not_said, [&](const NotSaid& n) -> Json {
    return {{"path", n.path}, {"value", n.value}};
  });
  return versioned(std::move(j));
}

}  // namespace orrery
