// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/inline_deepspeed.h"

#include "core/json_path.h"
#include "exchange/recognise.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"

namespace orrery::tools {

std::string take_deepspeed(ForeignFile& arguments) {
  if (!contains(arguments.text, "zero_optimization") || is_script(arguments)) return "";
  Json document = read_yaml(arguments.text, arguments.name);
  const Json own = value_at(document, "deepspeed");
  if (!own.is_object()) return "";
  document["deepspeed"] = arguments.name + ": deepspeed";
  arguments.text = write_yaml(document);
  return own.dump();
}

}  // namespace orrery::tools
