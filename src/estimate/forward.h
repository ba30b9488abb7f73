// SPDX-License-Identifier: Apache-2.0
//
// Names of the chain's values, for headers that only pass them on. Errors: none.
#pragma once

#include <vector>

#include "core/number.h"

namespace orrery {

struct MessageClass;
using MessageLog = std::vector<MessageClass>;
struct Run;
template <Number R>
struct AnswerOf;
template <Number R>
struct CommSink;
template <Number R>
struct Prices;
template <Number R>
struct StageClass;
template <Number R>
struct WorkspaceOf;
using Workspace = WorkspaceOf<double>;

}  // namespace orrery
