// SPDX-License-Identifier: Apache-2.0
//
// The curve of a collective as a document and as JSON. Rates are in GB/s of 10⁹ bytes, as
// nccl-tests prints them.
#pragma once

#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "document/document.h"
#include "insight/collective_curve.h"

namespace orrery {

// A rate as nccl-tests prints it.
constexpr double gb_per_s(BytesPerSecond rate) { return rate / BytesPerSecond(1e9); }

// "64 KiB"; GB/s; the tier a point was priced in; "all-reduce over 16 ranks, 8 on each of …".
std::string collective_size_text(Bytes size);
std::string collective_rate_text(BytesPerSecond rate);
std::string collective_tier_name(const CollectiveQuestion& q, const CollectivePoint& p);
std::string collective_heading(const CollectiveQuestion& q);

AnswerDocument collective_document(const CollectiveQuestion& q,
                                   const std::vector<CollectivePoint>& points);
Json collective_json(const CollectiveQuestion& q, const std::vector<CollectivePoint>& points);

}  // namespace orrery
