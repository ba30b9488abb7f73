// SPDX-License-Identifier: Apache-2.0
#include "report/key_catalog.h"

#include <algorithm>
#include <array>

#include "capacity/plan.h"
#include "capacity/site_keys.h"
#include "capacity/site_tables.h"
#include "core/json.h"
#include "core/key_schema.h"
#include "core/key_words.h"
#include "document/words.h"
#include "estimate/rl_keys.h"
#include "explore/search_keys.h"
#include "explore/sweep.h"
#include "hardware/cluster_keys.h"
#include "hardware/network_tables.h"
#include "model/model_document.h"
#include "parallel/compression_tables.h"
#include "parallel/document_tables.h"
#include "parallel/strategy_keys.h"
#include "validate/observed.h"

namespace orrery {
namespace {

constexpr std::array kDocuments = {
    DocumentKeys{"run", "A training run: what, on what, and how.", &kRunFileDocument},
    DocumentKeys{"model", "A model that is trained.", &kModelDocument},
    DocumentKeys{"node", "A kind of node, and the network that joins its devices and it.",
                 &kNodeDocument},
    DocumentKeys{"device", "An accelerator, and what real kernels reach on it.", &kDeviceDocument},
    DocumentKeys{"framework", "What a training software does that no key of a run says.",
                 &kFrameworkDocument},
    DocumentKeys{"engine", "What a software that generates answers reaches and holds.",
                 &kEngineDocument},
    DocumentKeys{"sweep", "A run, and values of some of its keys, point by point.",
                 &kSweepDocument},
    DocumentKeys{"search", "What a search varies, and what it looks for: `search` of a run file.",
                 &kSearchKeys},
    DocumentKeys{"plan", "Clusters, the training and limits of time, money and power.",
                 &kPlanDocument},
    DocumentKeys{"fleet", "Trainings with deadlines, and the GPUs that they share over a time.",
                 &kFleetDocument},
    DocumentKeys{"graph", "GPUs, switches and links of a node or a network.",
                 &network_tables::kGraphKeys},
    DocumentKeys{"fabric", "The network between nodes by its design.",
                 &network_tables::kFabricKeys},
    DocumentKeys{"compression", "How messages are compressed, by kind of traffic.",
                 &compression_tables::kCompressionKeys},
    DocumentKeys{"failures", "Interruptions of a site: rates, detection, restart, repair.",
                 &site_tables::kFailureKeys},
    DocumentKeys{"recovery", "A policy of recovery: restarts, copies in memory, replicas.",
                 &site_tables::kRecoveryKeys},
    DocumentKeys{"storage", "What a site's storage writes, reads and holds.", &kStorageKeys},
    DocumentKeys{"switch", "A network switch: its ports by rate.", &site_tables::kSwitchKeys},
    DocumentKeys{"prices", "Rents, purchases and the cost of running a site.",
                 &site_tables::kPricesKeys},
    DocumentKeys{"energy", "Power by load, the building's share, carbon.",
                 &site_tables::kEnergyKeys},
    DocumentKeys{"observed", "Measured steps, to set the level of a stack by; published runs.",
                 &kObservedDocument, true},
};

Cell choices_cell(const Key& k) {
  std::vector<std::string> choices = choices_of(k.forms);
  std::string text = joined(choices, ", ");
  return {std::move(text), std::move(choices)};
}

Cell default_cell(const Key& k) {
  return k.otherwise.required ? "required" : std::string(k.otherwise.value);
}

}  // namespace

std::span<const DocumentKeys> document_keys() { return kDocuments; }

Table key_list() {
  Table list({{"document", "document"},
              {"key", "path"},
              Column("kind").only(Audience::programs),
              Column("values", "values").wrapped(24),
              Column("default", "default").wrapped(16),
              Column("choices").only(Audience::programs),
              Column("list").only(Audience::programs),
              {"flag", "flag"},
              Column("varies").only(Audience::programs),
              Column("meaning", "meaning").wrapped(32)});
  for (const DocumentKeys& d : document_keys()) {
    for (const KeyLine& line : key_lines(*d.keys)) {
      const Key& k = *line.key;
      list.add({std::string(d.name), line.path, kind_words(k.forms), values_words(k.forms),
                default_cell(k), choices_cell(k), list_of(k.forms), k.flag.name,
                std::string(name_of(k.vary)), std::string(k.meaning)});
    }
  }
  return list;
}

Json schema_of(const DocumentKeys& d) {
  const Form item = form::object(*d.keys);
  return json_schema(d.is_list ? form::list(item, 1) : item, "orrery " + std::string(d.name),
                     std::string(d.what));
}

}  // namespace orrery
