// SPDX-License-Identifier: Apache-2.0
#include "report/estimate_text.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "document/table.h"
#include "insight/advice.h"
#include "insight/limiter.h"
#include "insight/metrics.h"
#include "report/memory_text.h"

namespace orrery {
namespace {

constexpr std::size_t kNumber = 12;

double value(const RunReport& r, std::string_view key) {
  return find_metric(key)->value({r.resolved.run, r.answer});
}

std::string headline(const RunReport& r, const Style& style) {
  const Answer& a = r.answer;
  std::string verdict =
      is_feasible(r) ? ink(style, Ink::green, "fits") : ink(style, Ink::red, "does not fit");
  std::string text = left("memory", kLabel) + verdict + ": " + gib_text(a.memory.peak, 1) + " of " +
                     gib_text(a.capacity, 1) + " on the fullest stage\n";
  if (a.reason == Reason::host_memory) {
    text = left("host memory", kLabel) + verdict + ": " + gib_text(a.host_needed, 1) + " of " +
           gib_text(a.host_capacity, 1) + " of a node; on the device " +
           gib_text(a.memory.peak, 1) + " of " + gib_text(a.capacity, 1) + "\n";
  }
  text += left("step", kLabel) + ink(style, Ink::bold, pretty(a.step_time)) + " (80 % interval " +
          pretty(a.interval_low, 3) + " to " + pretty(a.interval_high, 3) + ")" +
          (is_feasible(r) ? "" : ", if it had the memory") + "\n";
  text += left("accuracy", kLabel) + wrapped(r.resolved.interval.words, kLabel, kLabel) + "\n";
  text += left("speed", kLabel) + grouped(value(r, "tokens_per_s")) + " tokens/s, " +
          grouped(value(r, "tokens_per_s_per_gpu")) + " tokens/s/GPU, " +
          fixed(value(r, "samples_per_s"), 2) + " sequences/s\n";
  return text;
}

std::string utilisation(const RunReport& r) {
  const Run& run = r.resolved.run;
  const std::string convention(name_of(run.convention));
  const std::string text = "MFU " + percent(value(r, "mfu")) + ", HFU " + percent(value(r, "hfu")) +
                           " (" + convention + "): " + fixed(value(r, "model_tflops_per_gpu"), 1) +
                           " model TFLOP/s/GPU of " + pretty(r.answer.peak_rate, 4);
  return left("utilisation", kLabel) + wrapped(text, kLabel, kLabel) + "\n";
}

std::string training_time(const RunReport& r) {
  const Training& t = r.resolved.run.training;
  if (t.tokens == 0) return "";
  const double step_tokens = static_cast<double>(t.global_batch) * static_cast<double>(t.sequence);
  const double steps = std::ceil(static_cast<double>(t.tokens) / step_tokens);
  return left("training", kLabel) + short_count(static_cast<double>(t.tokens)) + " tokens are " +
         grouped(steps) + " steps, " + seconds_text(r.answer.step_time * steps) +
         " without interruptions\n";
}

std::string time_bars(const RunReport& r, const Style& style) {
  std::string text = "\n" + ink(style, Ink::bold, "Time") + " of the busiest stage, " +
                     std::to_string(r.answer.busy_stage) + "\n";
  for (const Metric& m : metrics()) {
    if (m.group != MetricGroup::time) continue;
    const Seconds t(m.value({r.resolved.run, r.answer}));
    if (t == Seconds()) continue;
    const double share = t / r.answer.step_time;
    text += "  " + left(std::string(m.label), kLabel - 2) + right(pretty(t, 3), kNumber) +
            right(percent(share), 9) + "  " + ink(style, Ink::blue, bar(share, kBar)) + "\n";
  }
  return text;
}

bool has_codec(const Answer& a) {
  const auto coded = [](const CommLine<double>& l) {
    return l.codec > Seconds() || l.uncompressed > l.bytes;
  };
  return std::any_of(a.comm.begin(), a.comm.begin() + a.comm_count, coded);
}

std::string communication_table(const RunReport& r, const Style& style) {
  if (r.answer.comm_count == 0) return "";
  std::vector<TableColumn> columns = {{"dimension"},     {"collective"}, {"ranks", true},
                                      {"count", true},   {"sent", true}, {"time", true},
                                      {"exposed", true}, {"over"},       {"algorithm"}};
  const bool coded = has_codec(r.answer);
  if (coded) columns.insert(columns.end(), {{"ratio", true}, {"codec", true}});
  Table table(columns);
  for (std::uint8_t i = 0; i < r.answer.comm_count; ++i) {
    const CommLine<double>& l = r.answer.comm[i];
    std::vector<std::string> row = {std::string(name_of(l.dimension)),
                                    std::string(name_of(l.collective)),
                                    grouped(l.ranks),
                                    grouped(l.count),
                                    pretty(l.bytes, 3),
                                    pretty(l.time, 3),
                                    l.exposed == Seconds() ? "hidden" : pretty(l.exposed, 3),
                                    std::string(r.resolved.run.cluster.tiers[l.tier].name.view()),
                                    std::string(name_of(l.algorithm))};
    if (coded) {
      row.push_back(fixed(l.uncompressed / l.bytes, 2));
      row.push_back(pretty(l.codec, 3));
    }
    table.add(row);
  }
  return "\n" + ink(style, Ink::bold, "Communication") + " of one GPU of that stage in a step\n" +
         table.text(2);
}

std::string setting_text(const Advice& a) {
  std::vector<std::string> parts;
  for (const Setting& s : a.settings) {
    const std::size_t dot = s.path.rfind('.');
    const bool offload = s.path.find("offload") != std::string::npos;
    const std::string key = (offload ? "offload." : "") + s.path.substr(dot + 1);
    parts.push_back(s.value == "null" ? "no " + key : key + " " + s.value);
  }
  return joined(parts, ", ");
}

std::string advice_line(const RunReport& r, const Advice& a) {
  const double change = a.step_time / r.answer.step_time - 1;
  const std::string size = percent(std::abs(change), 0);
  const std::string against = (size == "0 %" ? "±" : change < 0 ? "−" : "+") + size;
  const std::string verdict = a.fits ? "" : ", still too much";
  return left("  " + setting_text(a), 46) + "  step " + pretty(a.step_time) + " (" + against +
         "), " + gib_text(a.peak, 1) + verdict + "\n";
}

std::string limits(const RunReport& r, const Style& style) {
  std::string text = "\n" + ink(style, Ink::bold, "Limit") + "  " +
                     wrapped(limiter(r.resolved.run, r.answer), 7, 7) + "\n";
  const std::vector<Advice> advice = advise(r.resolved, r.answer);
  if (advice.empty()) {
    return text + (is_feasible(r) ? "  no single change of the usual knobs is faster\n"
                                  : "  no change of one or two of the usual knobs makes it fit\n");
  }
  text += is_feasible(r)
              ? ink(style, Ink::bold, "Faster") + " by one change\n"
              : ink(style, Ink::bold, advice[0].fits ? "What would fit" : "Nearer") + "\n";
  for (const Advice& a : advice) text += advice_line(r, a);
  return text;
}

std::string assumptions(const RunReport& r, const Style& style) {
  std::string text;
  if (!r.resolved.assumed.empty()) {
    std::vector<std::string> parts;
    for (const Assumed& a : r.resolved.assumed) parts.push_back(a.path + " " + a.value);
    text +=
        "\n" + wrapped(ink(style, Ink::bold, "Assumed") + "  " + joined(parts, " · "), 2) + "\n";
  }
  for (const std::string& warning : r.resolved.warnings) {
    text += wrapped(ink(style, Ink::yellow, "Warning") + "  " + warning, 2) + "\n";
  }
  return text;
}

}  // namespace

std::string estimate_text(const RunReport& r, const Style& style) {
  return header_text(r.resolved, style) + "\n" + headline(r, style) + utilisation(r) +
         training_time(r) + memory_bars(r, style) + time_bars(r, style) +
         communication_table(r, style) + limits(r, style) + assumptions(r, style);
}

std::string memory_text(const RunReport& r, const Style& style) {
  return header_text(r.resolved, style) + memory_bars(r, style) + memory_table(r, style) +
         (is_feasible(r) ? "" : limits(r, style)) + assumptions(r, style);
}

}  // namespace orrery
