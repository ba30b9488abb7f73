// SPDX-License-Identifier: Apache-2.0
//
// Adapters (LoRA, QLoRA, DoRA) of other tools as training.adapter. Each tool has names for the
// matrices that adapters stand beside; one that is not modelled stops the import.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "exchange/flat.h"
#include "exchange/foreign.h"

namespace orrery {

// Settings by a tool's names; "": it has none.
struct AdapterSettings {
  std::string_view rank;
  std::int64_t default_rank = 8;
  std::string_view targets;               // a list of names, or one text of them with commas
  std::string_view default_targets = "";  // where none is named; "": every linear layer
  std::string_view every_linear = "";
  std::string_view dropout = "";
  double default_dropout = 0;
  std::string_view dora = "";
  std::string_view trained = "";  // modules that train besides
  bool is_dora = false;
};

// How the base model is stored.
enum class StoredBase : std::uint8_t { half, fp32, int8, nf4, nf4_single };
constexpr EnumNames<StoredBase> names_of(StoredBase) {
  return {"half", "fp32", "int8", "nf4", "nf4_single"};
}

Json read_adapter(const AdapterSettings& names, StoredBase base, Settings& settings,
                  std::vector<LeftOver>& left);

// `peft` of Megatron-Bridge and NeMo 2, and `lora` of Primus; nothing where no adapter is trained.
// Its other settings go to `without_effect`, or to `left` where no reader knows them.
std::optional<Json> read_megatron_adapter(const Json& peft, const std::string& path,
                                          std::vector<LeftOver>& left,
                                          std::vector<std::string>& without_effect);

}  // namespace orrery
