// SPDX-License-Identifier: Apache-2.0
#include "estimate/rl_keys.h"

namespace orrery {

extern const KeyTable kRlDocument, kRolloutDocument, kPlacementDocument;
constinit const KeyTable kRlDocument = {kRlKeys.path, kRlRows.rows};
constinit const KeyTable kRolloutDocument = {kRolloutKeys.path, kRolloutRows.rows};
constinit const KeyTable kPlacementDocument = {kPlacementKeys.path, kPlacementRows.rows};

}  // namespace orrery
