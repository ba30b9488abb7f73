// SPDX-License-Identifier: Apache-2.0
//
// Inputs of a capacity plan: keys with a flag of their own (`--deadline 60d`, "deadline" in a
// request), documents, workers and the metrics of the modules that report.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "capacity/plan.h"
#include "engine/hooks.h"

namespace orrery {

struct PlanFlag {
  const char* name;
  const char* path;  // of the plan
  const char* type;
  const char* help;
  const char* names = "";  // as in Option
};

inline constexpr std::array kPlanFlags = {
    PlanFlag{"--deadline", "require.deadline", "TIME", "longest time: 60d, 36h"},
    PlanFlag{"--budget", "require.budget", "MONEY",
             "highest cost: 50e6, \"50e6 USD\"; of what is bought, the run's share counts"},
    PlanFlag{"--power", "require.power", "WATTS", "highest power: 10MW"},
    PlanFlag{"--tokens-per-parameter", "goal.tokens_per_parameter", "N",
             "train on so many tokens an active parameter (20: compute-optimal, arXiv:2203.15556)"},
    PlanFlag{"--sizes", "gpus", "LIST", "numbers of GPUs to try: [512,1024], or smallest"},
    PlanFlag{"--start", "start", "DATE",
             "first day: 2027-01-31; the answer then says the last day"},
    PlanFlag{
        "--recovery", "recovery", "NAME",
        "what a failure costs: a name of `orrery list recovery`, a path, or all of them side by "
        "side: all",
        "recovery"},
    PlanFlag{"--failures", "failures", "NAME",
             "failure rates: a name of `orrery list failures` or a path", "failures"},
    PlanFlag{"--storage", "storage", "NAME", "storage: a name of `orrery list storage` or a path",
             "storage"},
    PlanFlag{"--checkpoint", "checkpoint.mode", "MODE", "synchronous, two-phase or asynchronous"},
    PlanFlag{"--prices", "prices", "NAME", "prices: a name of `orrery list prices` or a path",
             "prices"},
    PlanFlag{"--rent", "prices.rent", "MONEY",
             "what you pay for an hour of a GPU: 2.5, \"2.5 USD/h\", or by node: "
             "hgx-b200=3.1,dgx-h100=2.2; goes before --prices"},
    PlanFlag{"--energy", "energy", "NAME",
             "power by load and PUE: a name of `orrery list energy` or a path", "energy"},
    PlanFlag{
        "--materials", "materials", "DESIGN",
        "list what is bought, with a network rail-optimised, fat-tree or rail-only; or an "
        "object: {\"topology\": \"fat-tree\", \"switch\": \"qm9700\", \"rack_power\": \"40 kW\"}"},
    PlanFlag{"--corpus", "data.corpus", "NAME",
             "sets the bytes per token of the data set: a name of `orrery list corpora`",
             "corpora"},
    PlanFlag{"--spares", "spares", "N", "spare nodes (as many as keep the wait under 0.1 %)"},
    PlanFlag{"--achieved", "achieved", "RATE",
             "measured model FLOP/s of a GPU, in place of the predicted step: \"42 TFLOP/s\""},
    PlanFlag{"--rank", "rank", "BY", "order of the options: cost, time, energy or gpus"},
    PlanFlag{"--seed", "seed", "N", "seed of the simulated failures (1)"},
};

// The row of a flag, for other commands that have it.
constexpr PlanFlag plan_flag(std::string_view name) {
  for (const PlanFlag& f : kPlanFlags) {
    if (name == f.name) return f;
  }
  return {};
}

// `beside` is the directory of the plan, "" for none; `jobs` as workers_of() has it.
PlanContext plan_context(const CommandContext& context, const std::string& beside, unsigned jobs);

}  // namespace orrery
