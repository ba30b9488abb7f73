// SPDX-License-Identifier: Apache-2.0
#include "estimate/rl_keys.h"

namespace orrery {

// NOLINTNEXTLINE(readability-redundant-declaration): declared beside the keys that refer to them
extern const KeyTable kRlDocument, kRolloutDocument, kPlacementDocument;
constinit const KeyTable kRlDocument = {kRlKeys.path, kRlRows.rows};
constinit const KeyTable kRolloutDocument = {kRolloutKeys.path, kRolloutRows.rows};
constinit const KeyTable kPlacementDocument = {kPlacementKeys.path, kPlacementRows.rows};

}  // namespace orrery
