// SPDX-License-Identifier: Apache-2.0
#include "engine/typed_run.h"

#include "engine/config_source.h"
#include "engine/given_run.h"
#include "engine/short_flags.h"

namespace orrery {

TypedRun typed_run(const GivenRun& given) {
  TypedRun run{given.document ? given.document->file : given.name, {}, ""};
  for (const std::string& file : given.with) run.name += " " + file;
  if (given.document && !is_path(run.name)) run.name = "RUN";
  for (const Override& o : given.overrides)
    run.settings.push_back(
        {o.path, o.value.is_number_float() ? typed_number(o.value) : bare_text(o.value)});
  if (given.nodes) run.nodes = std::string(kNodesFlag) + " " + std::to_string(*given.nodes);
  return run;
}

}  // namespace orrery
