// SPDX-License-Identifier: Apache-2.0
//
// The tools of configs/tools, and which of them a document or a script is of.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_fwd.h"

namespace orrery {
struct ConfigLookup;
}

namespace orrery::tools {

struct Tool;

// The tools of a source of configs; copies share them.
class ToolBook {
 public:
  ToolBook();  // of none
  explicit ToolBook(const ConfigLookup& lookup);

  const Tool* find(std::string_view name) const;
  // The tool of a document, and how sure that is; nullptr for none.
  struct Found {
    const Tool* tool = nullptr;
    int score = 0;
  };
  Found of_document(const Json& document, bool is_json = false) const;
  // The tool whose variables a script sets; nullptr for none.
  const Tool* of_variable(std::string_view name) const;
  // The tool that launches the program of a command; nullptr for none.
  const Tool* launcher_in(const std::vector<std::string>& words) const;
  // The tool whose command a script holds; what only launches is none.
  const Tool* of_script(std::string_view text) const;
  // The same by the flags of a program that may be anybody's; `own`: flags of the tool's alone.
  const Tool* of_flags(std::string_view text, bool own) const;
  const std::vector<Tool>& all() const { return *tools_; }

 private:
  std::shared_ptr<const std::vector<Tool>> tools_;
};

}  // namespace orrery::tools
