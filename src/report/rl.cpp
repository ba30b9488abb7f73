// SPDX-License-Identifier: Apache-2.0
#include "report/rl.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/fact.h"
#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/risk.h"
#include "estimate/rl_keys.h"
#include "explore/rl_search.h"
#include "insight/limiter.h"
#include "insight/rl_numbers.h"
#include "insight/rl_report.h"
#include "insight/settings.h"
#include "report/estimate.h"
#include "report/frame.h"
#include "report/frame_json.h"
#include "report/rl_simulate.h"
#include "report/rl_words.h"

namespace orrery {
namespace {

const RlRun& rl_of(const RlReport& r) { return *r.learner.resolved.rl; }

bool is_tight(const RlReport& r) {
  return r.step.fits && !fits_surely(r.learner.resolved.run, r.step.memory);
}

double probability_of(const RlReport& r) {
  return fit_probability(r.learner.resolved.run, r.step.memory);
}

// A cache that is too small, or a host, is no matter of chance.
Phrase rl_verdict(const RlReport& r) {
  if (!r.step.fits) return {TextStyle::red, "does not fit"};
  const double p = probability_of(r);
  return {is_tight(r) ? TextStyle::yellow : TextStyle::green,
          std::string(fit_words(p)) + ", " + probability_words(p)};
}

std::string length_words(const RlRun& rl) {
  const AnswerLengths& a = rl.work.lengths;
  if (!a.listed.empty()) return "of measured lengths, mean " + grouped(std::round(mean_of(a)));
  std::string text =
      "of " + grouped(std::round(a.mean)) + " tokens in the mean, " + std::string(name_of(a.shape));
  if (a.shape != LengthShape::equal) text += " with spread " + fixed(a.spread, 2);
  if (a.cap > 0) text += ", cut at " + grouped(a.cap);
  if (a.at_cap > 0) text += ", " + percent(a.at_cap, 0) + " there";
  return text;
}

// ", 0.75 of a device"; where nobody gave the share, with whose it is.
std::string share_words(const RlReport& r) {
  const RlRun& rl = rl_of(r);
  if (rl.placement.kind != PlacementKind::colocated) return "";
  const std::string share = ", " + brief(Json(rl.work.share)) + " of a device";
  const Fact* open = find_fact(r.learner.resolved.assumed, key_path<&RolloutRequest::memory_share>);
  if (open == nullptr) return share;
  return share + " (" + (open->known == Known::open ? open->why : "the engine's own") + ")";
}

Section rl_header(const RlReport& r) {
  const RlRun& rl = rl_of(r);
  Section s;
  s.add(Paragraph{bold(std::string(name_of(rl.algorithm))) + ": " +
                      counted(rl.work.prompts, "prompt") + " of " + grouped(rl.work.prompt_length) +
                      " tokens, " + counted(rl.samples, "sequence") + " to learn from, answers " +
                      length_words(rl),
                  2});
  if (rl.generates) s.add(Paragraph{generator_words(rl) + share_words(r), 2});
  s.add(Paragraph{placement_words(rl), 2});
  return s;
}

std::string phase_range(const PhaseTime& t) {
  return pretty(t.low, 3) + " to " + pretty(t.high, 3);
}

Seconds training_time(const RlReport& r) {
  return r.step.step.value * static_cast<double>(rl_of(r).steps);
}

double gpu_hours(const RlReport& r) {
  return training_time(r) / kHour * static_cast<double>(rl_of(r).all_gpus);
}

std::string training_words(const RlReport& r) {
  const double steps = static_cast<double>(rl_of(r).steps);
  return grouped(rl_of(r).steps) + " steps: " + pretty(training_time(r), 3) + " (" +
         pretty(r.step.step.low * steps, 3) + " to " + pretty(r.step.step.high * steps, 3) + "), " +
         grouped(std::round(gpu_hours(r))) + " GPU hours, without failures and checkpoints";
}

std::string spread_words(const StepSpread& s) {
  return "half of the steps under " + pretty(s.p50, 3) + ", 80 % " + pretty(s.p10, 3) + " to " +
         pretty(s.p90, 3) + ", 99 % under " + pretty(s.p99, 3) + " (" + grouped(s.steps) +
         " played)";
}

Section rl_headline(const RlReport& r) {
  const RlStep& s = r.step;
  Section out;
  Phrase memory = rl_verdict(r);
  std::string why;
  for (const std::string& reason : s.reasons) why += (why.empty() ? ": " : "; ") + reason;
  out.add(labelled("memory", memory + why));
  if (!s.remedy.empty()) out.add(labelled("would fit", "type: " + typed(s.remedy)));
  if (s.step.value == Seconds() || (rl_of(r).generates && !s.rollout.fits)) return out;
  out.add(labelled("step", bold(pretty(s.step.value)) + " (80 % interval " + phase_range(s.step) +
                               ")" + (s.fits ? "" : ", if it had the memory")));
  const double gpus = static_cast<double>(rl_of(r).all_gpus);
  const double rate = s.tokens / s.step.value.si();
  out.add(labelled("speed", grouped(rate) + " tokens/s, " + grouped(rate / gpus) +
                                " tokens/s/GPU, " + significant(s.samples / s.step.value.si(), 3) +
                                " sequences/s"));
  if (r.spread) out.add(labelled("spread", spread_words(*r.spread)));
  if (rl_of(r).steps > 0) out.add(labelled("training", training_words(r)));
  return out;
}

bool is_played(const RlReport& r) { return !rl_of(r).generates || r.step.rollout.fits; }

Section phases_section(const RlReport& r) {
  Table bars({{"phase"}, {"time", true}, {"80 % interval"}, {"", true}, {""}}, 2);
  for (const RlPhase p : kAllOf<RlPhase>) {
    const PhaseTime& t = r.step.phases[p];
    if (t.value == Seconds()) continue;
    const double share = t.value / r.step.step.value;
    bars.add({std::string(name_of(p)), pretty(t.value, 3), phase_range(t), percent(share),
              bar_cell(share < 1 ? share : 1)});
  }
  Section s{bold("Time") + " by phase", {bars}};
  if (rl_of(r).placement.kind == PlacementKind::async) {
    const QueuePeriod& q = r.step.queue;
    s.add(Paragraph{"generator and learner work at the same time; of a step the learner waits " +
                        pretty(q.learner_waits, 3) + " for answers, the generator " +
                        pretty(q.generator_waits, 3) + " for weights; the first step takes " +
                        pretty(q.first, 3),
                    2});
  }
  return s;
}

Section rollout_section(const RlReport& r) {
  const RlRun& rl = rl_of(r);
  const PlayedBatch& b = r.step.rollout.slowest;
  Table t({{"generation"}, {"value", true}}, 2);
  t.add({"answers at once on an engine, most", grouped(b.most)});
  t.add({"answers at once, mean of passes", fixed(b.mean_batch, 1)});
  t.add({"passes of the slowest engine", grouped(b.passes)});
  if (b.passes > 0)
    t.add({"time of a pass, mean", pretty((b.all - b.prefill - b.idle) / b.passes, 3)});
  t.add({"reading prompts", pretty(b.prefill, 3)});
  if (b.idle > Seconds()) t.add({"waiting for tools alone", pretty(b.idle, 3)});
  t.add({"since 90 % of all answers were there", pretty(r.step.rollout.last_tenth, 3)});
  t.add({"since 98 % of all answers were there", pretty(r.step.rollout.last_fiftieth, 3)});
  t.add({"answers dropped for lack of cache", grouped(b.dropped)});
  t.add({"tokens that the cache of an engine holds", grouped(r.step.rollout.pool.tokens)});
  return {bold("Generation") + " on the slowest of " + counted(rl.work.engines, "engine"), {t}};
}

Section moment_table(const RlReport& r) {
  Table t({{"phase"},
           {"engine", true},
           {"learner", true},
           {"reference", true},
           {"logits", true},
           {"all", true},
           {"capacity", true}},
          2);
  const auto cell = [](Bytes b) { return b == Bytes() ? std::string("·") : fixed(b / kGiB, 2); };
  for (const RlMoment m : kAllOf<RlMoment>) {
    const MomentMemory& x = r.step.memory[m];
    if (!x.happens) continue;
    t.add({std::string(name_of(m)), cell(x.engine), cell(x.learner), cell(x.reference),
           cell(x.logits), cell(x.all()), cell(x.capacity)});
  }
  return {bold("Memory") + " of the fullest GPU by phase, GiB", {t}};
}

Section engine_table(const RlReport& r) {
  const EnginePool& p = r.step.rollout.pool;
  Table t({{"engine, awake"}, {"GiB", true}}, 2);
  t.add({"weights", fixed(p.weights / kGiB, 2)});
  t.add({"cache", fixed(p.cache / kGiB, 2)});
  t.add({"activations of the largest pass", fixed(p.work / kGiB, 2)});
  t.add({"other", fixed(p.other / kGiB, 2)});
  t.add({"graphs", fixed(p.graphs / kGiB, 2)});
  t.add({"all", fixed(p.all / kGiB, 2)});
  return {bold("Engine"), {t}};
}

Section rl_advice_section(const RlReport& r) {
  Section s{bold("What holds the step"), {}};
  for (const std::string& line : rl_advice(r)) s.add(Paragraph{line, 4, 2});
  return s;
}

Section faster_section(const RlReport& r, const std::vector<RlAlternative>& shown) {
  constexpr std::size_t kSetting = 44;
  Table t({{"change"}, Column("type").at_least(kSetting), "effect"}, 2);
  for (const RlAlternative& a : shown) {
    const double change = a.step / r.step.step.value - 1;
    const bool compared = is_played(r) && r.step.fits;
    t.add({a.words, typed(a.settings),
           "step " + pretty(a.step) + (compared ? " (" + signed_percent(change) + ")" : ", fits")});
  }
  return {bold(r.step.fits ? "Faster" : "What would fit") + " by one change", {t.untitled()}};
}

// The fastest, and the fastest that changes nothing of what is learned.
std::vector<RlAlternative> shortlist(const RlReport& r) {
  std::vector<RlAlternative> few = {r.faster.front()};
  const RlAlternative* same = first_of_same_learning(r);
  if (same != nullptr && same != &r.faster.front()) few.push_back(*same);
  return few;
}

// CSV: one row.
Table rl_row(const RlReport& r) {
  std::vector<Column> columns = {"feasible"};
  std::vector<Cell> row = {data_cell(r.step.fits)};
  for (const RlNumber& n : rl_numbers()) {
    columns.emplace_back(n.key);
    row.push_back(data_cell(n.value(rl_of(r), r.step)));
  }
  Table table(columns);
  table.add(row);
  return table;
}

Json phase_json(const PhaseTime& t) {
  return {{"time_s", t.value.si()}, {"time_s_80", {t.low.si(), t.high.si()}}};
}

Json generation_json(const RlReport& r) {
  const Rollout& o = r.step.rollout;
  const PlayedBatch& b = o.slowest;
  return {{"engines", rl_of(r).work.engines},
          {"answers", o.answers},
          {"tokens", o.tokens},
          {"longest_answer", o.longest},
          {"most_running", b.most},
          {"mean_running", b.mean_batch},
          {"passes", b.passes},
          {"prefill_s", b.prefill.si()},
          {"idle_s", b.idle.si()},
          {"last_tenth_s", o.last_tenth.si()},
          {"last_fiftieth_s", o.last_fiftieth.si()},
          {"dropped", b.dropped},
          {"mean_engine_s", o.mean_of_engines.si()},
          {"steady_s", o.steady.si()},
          {"cache_tokens", o.pool.tokens},
          {"cache_gib", gib(o.pool.cache)},
          {"weights_gib", gib(o.pool.weights)},
          {"work_gib", gib(o.pool.work)},
          {"fits", o.fits}};
}

Json moments_json(const RlReport& r) {
  Json out = Json::object();
  for (const RlMoment m : kAllOf<RlMoment>) {
    const MomentMemory& x = r.step.memory[m];
    if (!x.happens) continue;
    out[std::string(name_of(m))] = {{"all_gib", gib(x.all())},
                                    {"engine_gib", gib(x.engine)},
                                    {"learner_gib", gib(x.learner)},
                                    {"reference_gib", gib(x.reference)},
                                    {"logits_gib", gib(x.logits)},
                                    {"capacity_gib", gib(x.capacity)},
                                    {"fits", x.fits()}};
  }
  return out;
}

Json rl_part(const RlReport& r) {
  const RlRun& rl = rl_of(r);
  Json phases = Json::object();
  for (const RlPhase p : kAllOf<RlPhase>) {
    phases[std::string(name_of(p))] = phase_json(r.step.phases[p]);
  }
  Json j = {{"algorithm", name_of(rl.algorithm)},
            {"placement", name_of(rl.placement.kind)},
            {"phases", phases},
            {"memory", moments_json(r)}};
  if (rl.generates) j["generation"] = generation_json(r);
  const QueuePeriod& q = r.step.queue;
  if (rl.placement.kind == PlacementKind::async) {
    j["queue"] = {{"period_s", q.period.si()},
                  {"generator_waits_s", q.generator_waits.si()},
                  {"learner_waits_s", q.learner_waits.si()},
                  {"first_s", q.first.si()}};
  }
  if (rl.steps > 0) {
    j["training"] = {
        {"steps", rl.steps}, {"time_s", training_time(r).si()}, {"gpu_hours", gpu_hours(r)}};
  }
  if (r.spread) j["spread"] = spread_json(*r.spread);
  j["advice"] = rl_advice(r);
  j["faster"] = json_list(r.faster, [](const RlAlternative& a) -> Json {
    return {{"change", a.words},
            {"changes_answers", a.kind == RlChangeKind::answers},
            {"set", settings_json(a.settings)},
            {"type", typed(a.settings)},
            {"step_time_s", a.step.si()}};
  });
  if (!r.step.remedy.empty()) j["remedy"] = typed(r.step.remedy);
  return j;
}

Json fullest_json(const RlReport& r) {
  const RlMoment most = fullest_moment(r.step.memory);
  const MomentMemory& x = r.step.memory[most];
  const double p = r.step.fits ? probability_of(r) : 0;
  return {{"peak_gib", gib(x.all())},
          {"capacity_gib", gib(x.capacity)},
          {"phase", name_of(most)},
          {"fit_probability", p},
          {"fit", fit_words(p)}};
}

// The largest phases of a step, and what the fullest GPU holds.
Section rl_parts(const RlReport& r) {
  constexpr std::size_t kMostParts = 4;
  constexpr double kLeastPart = 0.01;
  Section s;
  const RlMoment most = fullest_moment(r.step.memory);
  const MomentMemory& x = r.step.memory[most];
  std::vector<std::string> held;
  const auto hold = [&held](const char* what, Bytes bytes) {
    if (bytes > Bytes()) held.push_back(std::string(what) + " " + gib_text(bytes, 1));
  };
  hold("engine", x.engine);
  hold("learner", x.learner);
  if (most == RlMoment::update) held.back() += " (" + largest_line(r.step.update.memory) + ")";
  hold("reference", x.reference);
  hold("logits", x.logits);
  s.add(labelled("fullest", std::string(name_of(most)) + ": " + joined(held, ", ") + ", of " +
                                gib_text(x.capacity, 1)));
  if (!is_played(r)) return s;
  std::vector<std::pair<double, RlPhase>> shares;
  for (const RlPhase p : kAllOf<RlPhase>)
    shares.emplace_back(r.step.phases[p].value / r.step.step.value, p);
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> words;
  for (const auto& [share, phase] : shares) {
    if (words.size() < kMostParts && share > kLeastPart)
      words.push_back(std::string(name_of(phase)) + " " + percent(share, 0));
  }
  s.add(labelled("spends", joined(words, ", ") + "; --all: all tables"));
  return s;
}

// The run with what would help most, or the search.
std::string next_rl_estimate(const RlReport& r, const TypedRun& run) {
  if (!r.step.remedy.empty()) return "orrery estimate " + typed_with(run, r.step.remedy);
  const RlAlternative* same = first_of_same_learning(r);
  return same == nullptr ? "orrery search " + typed_with(run)
                         : "orrery estimate " + typed_with(run, same->settings);
}

// "73.4 of 79.7 GiB in update"; of a step whose phases fit and that does not, the first reason.
std::string fullest_words(const RlReport& r) {
  const RlMoment most = fullest_moment(r.step.memory);
  const MomentMemory& x = r.step.memory[most];
  if (x.fits() && !r.step.fits) return r.step.reasons.front();
  return fixed(x.all() / kGiB, 1) + " of " + gib_text(x.capacity, 1) + " in " +
         std::string(name_of(most));
}

// "tight (67 %): 73.4 of 79.7 GiB in update, 152 s a step"
Section rl_ending(const RlReport& r, const TypedRun& run) {
  Section s;
  s.add(labelled("answer", rl_verdict(r) + ": " + fullest_words(r) +
                               (is_played(r) ? ", " + pretty(r.step.step.value, 3) + " a step" +
                                                   (r.step.fits ? "" : " if it had the memory")
                                             : "")));
  s.add(labelled("next", next_rl_estimate(r, run)));
  return s;
}

Json rl_verdict_json(const RlReport& r) {
  return {{"feasible", r.step.fits}, {"tight", is_tight(r)}, {"reasons", r.step.reasons}};
}

}  // namespace

std::vector<Section> rl_heading(const RlReport& r) {
  return {rl_header(r), run_header(r.learner.resolved), rl_headline(r)};
}

AnswerDocument rl_document(const RlReport& r) {
  AnswerDocument d{
      r.learner.resolved.model_name + ": one step of reinforcement learning", {}, rl_row(r)};
  d.sections = rl_heading(r);
  if (is_played(r)) {
    d.add(phases_section(r));
    if (rl_of(r).generates) d.add(rollout_section(r));
  }
  d.add(moment_table(r));
  if (is_played(r)) d.add(rl_advice_section(r));
  if (!r.faster.empty()) d.add(faster_section(r, r.faster));
  d.add(run_assumptions(r.learner.resolved));
  return d;
}

AnswerDocument rl_summary(const RlReport& r, const TypedRun& run) {
  AnswerDocument d{
      r.learner.resolved.model_name + ": one step of reinforcement learning", {}, rl_row(r)};
  Section head = rl_headline(r);
  for (const Element& e : rl_parts(r).elements) head.add(e);
  d.sections = {rl_header(r), run_layout(r.learner.resolved), head};
  if (!r.faster.empty()) d.add(faster_section(r, shortlist(r)));
  d.add(brief_open_keys(r.learner.resolved));
  d.add(rl_ending(r, run));
  return d;
}

AnswerDocument rl_memory_document(const RlReport& r) {
  AnswerDocument d{r.learner.resolved.model_name + ": memory by phase", {}, rl_row(r)};
  d.sections = rl_heading(r);
  d.add(moment_table(r));
  if (rl_of(r).generates) d.add(engine_table(r));
  d.add(memory_section(r.learner));
  d.add(run_assumptions(r.learner.resolved));
  return d;
}

Json rl_json(const RlReport& r) {
  const RlStep& s = r.step;
  Json j = rl_verdict_json(r);
  const double step = s.step.value.si();
  if (is_played(r)) {
    const double gpus = static_cast<double>(rl_of(r).all_gpus);
    j["step_time_s"] = step;
    j["samples_per_s"] = s.samples / step;
    j["tokens_per_s"] = s.tokens / step;
    j["tokens_per_s_per_gpu"] = s.tokens / step / gpus;
    j["interval_80"] = {{"step_time_s", {s.step.low.si(), s.step.high.si()}}};
  }
  j["memory"] = fullest_json(r);
  j["rl"] = rl_part(r);
  j["learner"] = estimate_json(r.learner);
  for (const char* once : {"inputs", "version", "schema_version", "warnings"}) {
    j["learner"].erase(once);
  }
  add_frame(r.learner, j);
  return j;
}

Json rl_memory_json(const RlReport& r) {
  Json j = rl_verdict_json(r);
  j["memory"] = fullest_json(r);
  j["rl"] = {{"memory", moments_json(r)}};
  if (!r.step.remedy.empty()) j["rl"]["remedy"] = typed(r.step.remedy);
  if (rl_of(r).generates) j["rl"]["generation"] = generation_json(r);
  add_frame(r.learner, j);
  return j;
}

}  // namespace orrery
