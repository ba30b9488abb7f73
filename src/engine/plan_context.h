// SPDX-License-Identifier: Apache-2.0
//
// What a capacity plan is given: keys with a flag of their own (`--deadline 60d`, "deadline" in a
// request), documents, workers and the metrics of the rooms that report.
#pragma once

#include <array>
#include <string>

#include "capacity/plan.h"
#include "engine/hooks.h"

namespace orrery {

struct PlanFlag {
  const char* name;
  const char* path;  // of the plan
  const char* type;
  const char* help;
};

inline constexpr std::array kPlanFlags = {
    PlanFlag{"--deadline", "require.deadline", "TIME", "how long it may take: 60d, 36h"},
    PlanFlag{"--budget", "require.budget", "MONEY", "what it may cost: 50e6, \"50e6 USD\""},
    PlanFlag{"--power", "require.power", "WATTS", "what it may draw at most: 10MW"},
    PlanFlag{"--sizes", "gpus", "LIST", "numbers of GPUs: [512,1024], or smallest"},
    PlanFlag{"--start", "start", "DATE", "first day, 2027-01-31, for the last one"},
    PlanFlag{"--failures", "failures", "NAME",
             "failure rates: a name of configs/failures or a path"},
    PlanFlag{"--storage", "storage", "NAME", "storage: a name of configs/storage or a path"},
    PlanFlag{"--checkpoint", "checkpoint.mode", "MODE", "synchronous, two-phase or asynchronous"},
    PlanFlag{"--prices", "prices", "NAME", "prices: a name of configs/prices or a path"},
    PlanFlag{"--energy", "energy", "NAME",
             "power by load, PUE: a name of configs/energy or a path"},
    PlanFlag{"--corpus", "data.corpus", "NAME",
             "whose bytes a token the data set has: a name of `orrery list corpora`"},
    PlanFlag{"--spares", "spares", "N", "spare nodes (as many as keep the wait under 0.1 %)"},
    PlanFlag{"--achieved", "achieved", "RATE",
             "model FLOP/s of a GPU as measured, in place of the predicted step: \"42 TFLOP/s\""},
    PlanFlag{"--rank", "rank", "BY", "what is best: cost, time, energy or gpus"},
    PlanFlag{"--seed", "seed", "N", "of the played failures (1)"},
};

// `beside` is the directory of the plan, "" for none; `jobs` as workers_of() has it.
PlanContext plan_context(const CommandContext& context, const std::string& beside, unsigned jobs);

}  // namespace orrery
