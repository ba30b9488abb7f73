// SPDX-License-Identifier: Apache-2.0
#include "engine/typed_run.h"

#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "engine/config_source.h"
#include "engine/given_run.h"
#include "engine/short_flags.h"
#include "estimate/run_keys.h"

namespace orrery {

TypedRun typed_run(const GivenRun& given, const RunSource* source) {
  TypedRun run{given.document ? given.document->file : given.name, {}, ""};
  for (const std::string& file : given.with) run.name += " " + file;
  if (given.document && !is_path(run.name)) run.name = "RUN";
  for (const Override& o : given.overrides)
    run.settings.push_back(
        {o.path, o.value.is_number_float() ? typed_number(o.value) : bare_text(o.value)});
  const Json& batch = source != nullptr && source->is_imported
                          ? value_at(source->json, key_path<&TrainingRequest::global_batch>)
                          : Json::object();
  if (batch.is_number_integer()) run.batch = batch.get<std::int64_t>();
  if (given.nodes) run.nodes = std::string(kNodesFlag) + " " + std::to_string(*given.nodes);
  return run;
}

}  // namespace orrery
