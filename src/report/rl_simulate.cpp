// SPDX-License-Identifier: Apache-2.0
#include "report/rl_simulate.h"

#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "insight/rl_simulation.h"
#include "report/frame.h"
#include "report/frame_json.h"
#include "report/rl.h"
#include "rl/step_cost.h"

namespace orrery {
namespace {

constexpr std::int64_t kStepsDrawn = 3;
constexpr std::size_t kStepsListed = 10;

struct PhaseMark {
  char sign = '.';
  std::size_t colour = 0;
};

// generate, reward, old_log_probs, reference, values, update, handover, sleep, wake.
constexpr EnumArray<RlPhase, PhaseMark> kMarks = {
    PhaseMark{'g', 0}, PhaseMark{'r', 6}, PhaseMark{'l', 3}, PhaseMark{'f', 4}, PhaseMark{'v', 5},
    PhaseMark{'u', 2}, PhaseMark{'h', 1}, PhaseMark{'s', 8}, PhaseMark{'w', 7}};

const RlRun& rl_of(const RlSimulation& s) { return *s.report.learner.resolved.rl; }

std::string group_name(const RlSimulation& s, std::size_t group) {
  const RlRun& rl = rl_of(s);
  if (s.played.groups == 1) return counted(rl.all_gpus, "GPU");
  return group == 0 ? "generate, " + grouped(rl.placement.rollout_gpus)
                    : "learn, " + grouped(learner_gpus(rl));
}

// The first steps, a line a group; each column shows what takes most of it.
std::string picture(const RlSimulation& s, std::size_t columns) {
  Seconds end{};
  for (const RlSpan& span : s.played.spans) {
    if (span.step < kStepsDrawn) end = std::max(end, span.end);
  }
  std::string out;
  for (std::size_t g = 0; g < s.played.groups; ++g) {
    std::string line(columns, '.');
    for (const RlSpan& span : s.played.spans) {
      if (span.group != g) continue;
      const auto column = [&](Seconds t) {
        const double share = t / end * static_cast<double>(columns);
        return static_cast<std::size_t>(
            std::clamp(std::llround(share), 0LL, static_cast<long long>(columns)));
      };
      for (std::size_t i = column(span.begin); i < column(span.end); ++i) {
        line[i] = kMarks[span.phase].sign;
      }
    }
    constexpr std::size_t kName = 16;
    std::string name = group_name(s, g);
    name.resize(std::max(kName, name.size()), ' ');
    out += "  " + name + " " + line + "\n";
  }
  return out;
}

std::string legend(const RlSimulation& s) {
  std::string text;
  for (const RlPhase p : kAllOf<RlPhase>) {
    const bool happens = std::any_of(s.played.spans.begin(), s.played.spans.end(),
                                     [&](const RlSpan& x) { return x.phase == p; });
    if (happens) text += std::string(1, kMarks[p].sign) + " " + std::string(name_of(p)) + ", ";
  }
  return text + ". waits";
}

Section picture_section(const RlSimulation& s, std::size_t width) {
  constexpr std::size_t kBeside = 20;
  const std::size_t columns = std::max<std::size_t>(40, width > kBeside ? width - kBeside : 0);
  Section out{bold("The first steps") + " by GPUs", {}};
  out.add(Verbatim{picture(s, columns)});
  out.add(Paragraph{legend(s), 2, 2});
  return out;
}

Section spread_section(const RlSimulation& s) {
  const StepSpread& p = s.played.spread;
  Table t({{"step"}, {"time", true}}, 2);
  t.add({"10 % are shorter", pretty(p.p10, 3)});
  t.add({"half are shorter", pretty(p.p50, 3)});
  t.add({"90 % are shorter", pretty(p.p90, 3)});
  t.add({"99 % are shorter", pretty(p.p99, 3)});
  t.add({"longest", pretty(p.longest, 3)});
  t.add({"mean", pretty(p.mean, 3)});
  t.add({"of the mean lengths (`orrery estimate`)", pretty(s.report.step.step.value, 3)});
  for (std::size_t g = 0; g < s.idle.size(); ++g) {
    t.add({group_name(s, g) + " wait", percent(s.idle[g])});
  }
  return {bold("Steps") + ", " + grouped(static_cast<std::int64_t>(s.played.steps.size())) +
              " played with answers drawn anew",
          {t}};
}

Section list_section(const RlSimulation& s) {
  Table t({{"step", true},
           {"time", true},
           {"generate", true},
           {"since 98 % were there", true},
           {"longest", true},
           {"tokens", true}},
          2);
  for (std::size_t i = 0; i < std::min(kStepsListed, s.played.steps.size()); ++i) {
    const RlPlayedStep& x = s.played.steps[i];
    t.add({grouped(static_cast<std::int64_t>(i + 1)), pretty(x.time, 3), pretty(x.generate, 3),
           pretty(x.last_fiftieth, 3), grouped(x.longest), grouped(x.tokens)});
  }
  return {bold("Each step"), {t}};
}

Table rows(const RlSimulation& s) {
  Table t({{"step"}, {"time_s"}, {"generate_s"}, {"last_fiftieth_s"}, {"longest"}, {"tokens"}});
  for (std::size_t i = 0; i < s.played.steps.size(); ++i) {
    const RlPlayedStep& x = s.played.steps[i];
    t.add({data_cell(i + 1), data_cell(double(x.time.si())), data_cell(double(x.generate.si())),
           data_cell(double(x.last_fiftieth.si())), data_cell(x.longest), data_cell(x.tokens)});
  }
  return t;
}

LanePlot lanes(const RlSimulation& s) {
  LanePlot plot{"Timeline", "GPUs", "", ""};
  plot.end = s.played.end.si();
  for (const RlPhase p : kAllOf<RlPhase>) {
    plot.kinds.push_back({std::string(name_of(p)), kMarks[p].colour});
  }
  plot.lanes.resize(s.played.groups);
  for (const RlSpan& x : s.played.spans) {
    plot.lanes[x.group].spans.push_back({x.begin.si(), x.end.si(),
                                         static_cast<std::size_t>(x.phase),
                                         std::to_string(x.step + 1), false});
  }
  return plot;
}

std::string event(const std::string& body) { return "\n{" + body + "},"; }

std::string name_event(std::size_t group, const std::string& name) {
  return event("\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + std::to_string(group) +
               ",\"tid\":0,\"args\":{\"name\":\"" + name + "\"}");
}

// Whole nanoseconds in microseconds, so that slices that abut do so after rounding too.
std::string microseconds(Seconds t) { return fixed(std::round(t.si() * 1e9) / 1e3, 3); }

}  // namespace

AnswerDocument rl_simulation_document(const RlSimulation& s, std::size_t width) {
  AnswerDocument d{s.report.learner.resolved.model_name + ": played steps", {}, rows(s)};
  for (Section& section : rl_heading(s.report)) d.sections.push_back(std::move(section));
  if (s.played.steps.empty()) return d;
  d.add(picture_section(s, width));
  d.add(spread_section(s));
  d.add(list_section(s));
  return d;
}

AnswerDocument rl_timeline_page(const RlSimulation& s) {
  constexpr std::size_t kPageColumns = 100;
  AnswerDocument d = rl_simulation_document(s, kPageColumns);
  if (!s.played.steps.empty()) d.add({"", {lanes(s)}});
  return d;
}

Json spread_json(const StepSpread& s) {
  return {{"steps", s.steps},           {"mean_s", s.mean.si()}, {"p10_s", s.p10.si()},
          {"p50_s", s.p50.si()},        {"p90_s", s.p90.si()},   {"p99_s", s.p99.si()},
          {"longest_s", s.longest.si()}};
}

Json rl_simulation_json(const RlSimulation& s) {
  const PlayedSteps& p = s.played;
  Json j = {{"feasible", s.report.step.fits},
            {"reasons", s.report.step.reasons},
            {"step_time_s", s.report.step.step.value.si()},
            {"played", spread_json(p.spread)}};
  j["groups"] = Json::array();
  for (std::size_t g = 0; g < s.idle.size(); ++g) {
    j["groups"].push_back({{"name", group_name(s, g)}, {"waits_share", s.idle[g]}});
  }
  j["steps"] = json_list(p.steps, [](const RlPlayedStep& x) -> Json {
    return {{"time_s", x.time.si()},
            {"generate_s", x.generate.si()},
            {"last_fiftieth_s", x.last_fiftieth.si()},
            {"longest", x.longest},
            {"tokens", x.tokens}};
  });
  j["spans"] = json_list(p.spans, [](const RlSpan& x) -> Json {
    return {{"group", x.group},
            {"phase", name_of(x.phase)},
            {"step", x.step + 1},
            {"begin_s", x.begin.si()},
            {"end_s", x.end.si()}};
  });
  add_frame(s.report.learner, j);
  return j;
}

std::string rl_trace(const RlSimulation& s) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  for (std::size_t g = 0; g < s.played.groups; ++g) text += name_event(g, group_name(s, g));
  for (const RlSpan& x : s.played.spans) {
    text += event("\"ph\":\"X\",\"name\":\"" + std::string(name_of(x.phase)) + "\",\"pid\":" +
                  std::to_string(x.group) + ",\"tid\":0,\"ts\":" + microseconds(x.begin) +
                  ",\"dur\":" + microseconds(x.end - x.begin) +
                  ",\"args\":{\"step\":" + std::to_string(x.step + 1) + "}");
  }
  if (text.back() == ',') text.pop_back();
  return text + "\n]}\n";
}

}  // namespace orrery
