// SPDX-License-Identifier: Apache-2.0
#include "report/diagnosis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/json.h"
#include "core/units.h"
#include "estimate/fits_at_risk.h"
#include "estimate/risk.h"
#include "estimate/training_keys.h"
#include "exchange/text_lines.h"
#include "hardware/cluster_keys.h"
#include "insight/against.h"
#include "insight/diagnosis.h"
#include "insight/log_verdict.h"
#include "insight/memory_relief.h"
#include "insight/settings.h"
#include "report/against.h"
#include "report/diagnosis_profile.h"
#include "report/estimate.h"
#include "report/frame.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

constexpr std::size_t kMostCauses = 5;
constexpr std::size_t kMostHolders = 8;

constexpr EnumArray<Stated, const char*> kStatedNames = {
    "asked for by the allocation that failed",
    "capacity of the device",
    "free",
    "allocated by tensors",
    "reserved by the allocator",
    "reserved and not allocated",
    "in use by the process",
    "in private pools",
    "allowed to the process",
    "most allocated",
    "most reserved",
    "cannot be released",
    "largest free piece of what is reserved",
    "needed by the program",
    "temporaries of the program",
    "arguments of the program",
    "host memory in use",
    "host memory in use on the node",
    "taken by the inference engine",
    "in use while the engine sleeps",
};

std::string times_words(std::int64_t n) { return n > 1 ? ", " + grouped(n) + " times" : ""; }

// "a log of Megatron-LM, 24 steps"
std::string log_words(const TrainingLog& log) {
  return "a log of " + log.form + ", " + counted(static_cast<std::int64_t>(log.steps), "step");
}

std::vector<std::string> read_words(const Diagnosis& d) {
  std::vector<std::string> parts;
  for (const DiagnosedMessage& m : d.messages)
    parts.push_back(m.message.form + times_words(m.message.count));
  if (d.profile) parts.push_back(profile_words(*d.profile));
  if (d.log && !d.profile) parts.push_back(log_words(*d.log));
  if (!d.collectives.empty())
    parts.push_back("nccl-tests' output, " +
                    counted(static_cast<std::int64_t>(d.collectives.size()), "size"));
  if (d.nccl) parts.emplace_back("what NCCL prints of its links");
  return parts;
}

// The prediction of what a message states; nothing where no line is of the same.
std::optional<Bytes> predicted_of(Stated s, const RunReport& r) {
  const Answer& a = r.answer;
  switch (s) {
    case Stated::capacity:
      return a.capacity;
    case Stated::allocated:
    case Stated::peak_allocated:
      return a.memory.allocated;
    case Stated::reserved:
    case Stated::peak_reserved:
      return a.memory.reserved;
    case Stated::process:
    case Stated::program:
      return a.memory.peak;
    case Stated::host_used:
      return a.host_needed > Bytes() ? std::optional(a.host_needed) : std::nullopt;
    case Stated::asked:
    case Stated::free:
    case Stated::unallocated:
    case Stated::pools:
    case Stated::allowed:
    case Stated::inactive:
    case Stated::largest_piece:
    case Stated::temporary:
    case Stated::arguments:
    case Stated::host_node:
    case Stated::engine:
    case Stated::engine_asleep:
      return {};
  }
  return {};
}

Table stated_table(const MemoryMessage& m, const RunReport* r) {
  std::vector<Column> columns = {{"stated", "stated"}, {"bytes", "bytes", true}};
  if (r != nullptr) columns.push_back({"predicted", "predicted", true});
  Table table(columns, 2);
  for (const Stated s : kAllOf<Stated>) {
    if (!m[s]) continue;
    std::vector<Cell> row = {kStatedNames[s], Cell(gib_text(*m[s]), m[s]->si())};
    const auto predicted = r == nullptr ? std::nullopt : predicted_of(s, *r);
    if (r != nullptr)
      row.push_back(predicted ? Cell(gib_text(*predicted), predicted->si()) : Cell("–"));
    table.add(std::move(row));
  }
  return table;
}

Table device_table(const MemoryMessage& m) {
  Table table({{"GPU", true}, {"memory", true}, {"of", true}, {"load", true}, {"power", true}}, 2);
  for (std::size_t i = 0; i < m.devices.size(); ++i) {
    const ListedDevice& d = m.devices[i];
    table.add({std::to_string(i), gib_text(d.used, 1), gib_text(d.capacity, 1),
               d.load ? percent(*d.load, 0) : "–",
               d.power ? pretty(*d.power, 3) + (d.cap ? " of " + pretty(*d.cap, 3) : "") : "–"});
  }
  return table;
}

// Lines of the program that held the peak.
Table holder_table(const MemoryMessage& m) {
  const bool is_xla = m.kind == MessageKind::xla_out_of_memory;
  Table table({{is_xla ? "largest allocations" : "line of the program", "where"},
               {"held at the peak", "bytes", true},
               {"blocks", "blocks", true}},
              2);
  for (std::size_t i = 0; i < std::min(kMostHolders, m.holders.size()); ++i) {
    const HeldMemory& h = m.holders[i];
    table.add({h.where, Cell(gib_text(h.size), h.size.si()), count_cell(h.blocks)});
  }
  return table;
}

Section message_section(const DiagnosedMessage& d, const RunReport* r) {
  const MemoryMessage& m = d.message;
  Section s{bold("Stated") + " by " + m.form + times_words(m.count)};
  if (!m.line.empty()) s.add(Paragraph{"“" + m.line + "”", 2, 2});
  if (!m.label.empty()) s.add(Paragraph{"most at: " + m.label, 2, 2});
  if (m.kind == MessageKind::device_list) {
    s.add(device_table(m));
  } else if (Table table = stated_table(m, r); !table.empty()) {
    s.add(std::move(table));
  } else {
    s.add(Paragraph{"no amounts: the message does not say what was held", 2, 2});
  }
  if (!m.holders.empty()) s.add(holder_table(m));
  if (m.retries > 0)
    s.add(Paragraph{"the allocator emptied its cache and tried again " + grouped(m.retries) +
                        " times, each of which costs a step time",
                    2, 2});
  return s;
}

Section causes_section(const std::vector<DiagnosedCause>& causes, const char* order) {
  if (causes.empty()) return {};
  Section s{bold("Causes") + order};
  for (std::size_t i = 0; i < std::min(kMostCauses, causes.size()); ++i) {
    const DiagnosedCause& c = causes[i];
    s.add(Paragraph{bold(right(percent(c.probability, 0), 5)) + "  " + bold(c.what), 9, 2});
    s.add(Paragraph{c.evidence, 9, 9});
    if (!c.check.empty()) s.add(Paragraph{"check: " + c.check, 9, 9});
    if (!c.mend.empty()) s.add(Paragraph{"mend: " + c.mend, 9, 9});
    if (!c.change.empty()) s.add(Paragraph{"type: " + c.change, 9, 9});
  }
  return s;
}

Section collectives_section(const std::vector<NcclRow>& rows) {
  if (rows.empty()) return {};
  const auto best = std::max_element(rows.begin(), rows.end(),
                                     [](const auto& a, const auto& b) { return a.bus < b.bus; });
  const auto largest = std::max_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
  Section s{bold("Stated") + " by nccl-tests' output"};
  s.add(labelled("best", pretty(best->bus, 4) + " of bus bandwidth at " + gib_text(best->size, 3)));
  s.add(labelled("largest", gib_text(largest->size, 3) + " in " + pretty(largest->time, 4) + ", " +
                                pretty(largest->bus, 4)));
  return s;
}

std::optional<std::int64_t> logged_tokens(const TrainingLog& log) {
  for (const LoggedSetting& s : log.settings) {
    if (s.key == kTokensOfStep) return s.value;
  }
  return {};
}

// Speed and memory that a log states, where no run is beside it.
Section log_section(const TrainingLog& log) {
  Section s{bold("Stated") + " by " + log_words(log)};
  if (log.step_time) s.add(labelled("step", pretty(*log.step_time, 4)));
  if (log.data_time) s.add(labelled("waits for data", pretty(*log.data_time, 4) + " of a step"));
  if (const auto tokens = logged_tokens(log)) {
    s.add(labelled("tokens a step", grouped(*tokens)));
    if (log.step_time)
      s.add(labelled("speed", grouped(static_cast<double>(*tokens) / log.step_time->si()) +
                                  " tokens/s of all GPUs"));
  }
  if (log.samples_per_s)
    s.add(labelled("speed", significant(*log.samples_per_s, 4) + " sequences/s"));
  if (log.tokens_per_s_per_gpu)
    s.add(labelled("speed", grouped(*log.tokens_per_s_per_gpu) + " tokens/s/GPU"));
  if (log.flops_per_gpu) {
    const bool by_a100 = log.form == "nanoGPT";
    s.add(labelled("model FLOP/s", pretty(*log.flops_per_gpu, 4) + " a GPU" +
                                       (by_a100 ? ": nanoGPT's mfu is of an A100's 312 TFLOP/s on "
                                                  "any GPU"
                                                : "")));
  }
  if (log.mfu) s.add(labelled("MFU", percent(*log.mfu, 1)));
  if (log.allocated) s.add(labelled("allocated", gib_text(*log.allocated)));
  if (log.reserved) s.add(labelled("reserved", gib_text(*log.reserved)));
  if (log.retries.value_or(0) > 0) {
    s.add(labelled("retries", grouped(*log.retries) +
                                  " of the allocator: memory is full, and each frees its cache and "
                                  "waits for the device"));
  }
  if (log.slowed) {
    s.add(labelled(*log.slowed > 1 ? "slower" : "faster",
                   significant(std::max(*log.slowed, 1 / *log.slowed), 2) +
                       " times in the second half of the log"));
  }
  return s;
}

const DiagnosedCause* likeliest(const Diagnosis& d) {
  if (!d.losses.empty()) return &d.losses[0];
  for (const DiagnosedMessage& m : d.messages) {
    if (!m.causes.empty()) return &m.causes[0];
  }
  // Beside a run the step decides what they cost; a log's own fault comes first.
  const bool is_decided = d.log && (d.run || fault_of(*d.log));
  return d.link_causes.empty() || is_decided ? nullptr : &d.link_causes[0];
}

// Settings that a log says, as flags of the run that is asked for.
std::vector<Setting> logged_settings(const Diagnosis& d) {
  std::vector<Setting> settings;
  if (!d.log) return settings;
  for (const LoggedSetting& s : d.log->settings) {
    if (s.within == 0 && s.key != kTokensOfStep)
      settings.push_back({std::string(s.key), std::to_string(s.value)});
  }
  return settings;
}

bool has_flag(const std::vector<Setting>& settings, std::string_view path) {
  return std::any_of(settings.begin(), settings.end(),
                     [&](const Setting& s) { return s.path == path; });
}

// Flags that a run needs and no log says, with the places for them.
std::string missing_flags(const std::vector<Setting>& known) {
  std::string text = " --model MODEL --node NODE";
  if (!has_flag(known, "cluster.gpus")) text += " --gpus N";
  if (!has_flag(known, "training.sequence_length")) text += " --sequence-length N";
  if (!has_flag(known, "training.global_batch")) text += " --global-batch N";
  return text;
}

constexpr const char* kMendFirst =
    "what the mend above says, then the same run again: it is no setting of this run";

// A run of the learner would say nothing of it.
bool is_of_engine(const Diagnosis& d) {
  return !d.messages.empty() && d.messages[0].message.moment == JobMoment::generating;
}

void add_asking(const Diagnosis& d, Section& s) {
  if (is_of_engine(d)) {
    s.add(labelled("next", kMendFirst));
    return;
  }
  const std::vector<Setting> known = logged_settings(d);
  s.add(labelled("missing",
                 "the run itself, to set a prediction beside this: --run RUN, or its "
                 "flags"));
  const std::string flags = typed(known);
  s.add(labelled("next", "orrery diagnose " + file_as_typed(d.file) + missing_flags(known) +
                             (flags.empty() ? "" : " " + flags)));
}

std::string slow_words(const TrainingAgainst& a, const RunReport& r) {
  if (!a.other_settings.empty())
    return "the log is of another run: " + words_of(a.other_settings[0]);
  const AgainstLine& step = a.lines.front();
  std::string beside = "measured " + pretty(Seconds(step.measured), 3) + " a step, predicted " +
                       pretty(Seconds(step.predicted), 3);
  if (is_as_predicted(r, Seconds(step.measured))) {
    beside += ": within the estimate's own interval, " + pretty(r.answer.interval_low, 3) + " to " +
              pretty(r.answer.interval_high, 3);
    if (!assumes_what_cannot_fit(r)) return beside;
  }
  if (a.causes.empty()) return beside;
  return beside + "; likeliest (" + percent(a.causes[0].probability, 0) + "): " + a.causes[0].what;
}

// A cause that something can decide, of a log that is of this run and not as predicted.
bool asks_for_check(const TrainingAgainst& a, const RunReport& r) {
  if (!a.other_settings.empty() || a.causes.empty() || a.causes[0].check.empty()) return false;
  return !is_as_predicted(r, Seconds(a.lines.front().measured)) || assumes_what_cannot_fit(r);
}

// Bytes that tensors needed when the job failed: allocated and asked for, or all of a device of
// which the message says neither; nothing where no device was full.
std::optional<Bytes> needed_by(const Diagnosis& d) {
  if (d.messages.empty()) return {};
  const MemoryMessage& m = d.messages[0].message;
  const bool is_full = m.kind == MessageKind::device_out_of_memory ||
                       m.kind == MessageKind::xla_out_of_memory ||
                       m.kind == MessageKind::outside_allocator;
  if (!is_full) return {};
  const Bytes stated = m[Stated::allocated].value_or(Bytes()) + m[Stated::asked].value_or(Bytes());
  return m[Stated::allocated] ? stated : std::max(stated, d.run->answer.capacity);
}

// The first change that fits as surely as the run asks, else a layout that does; of a run that is
// sure to fit by its prediction, and failed, one that takes as much less. A run that was logged has
// run, on its own GPUs.
std::vector<Setting> fitting_settings(const Diagnosis& d) {
  const RunReport& r = *d.run;
  const auto needed = needed_by(d);
  if (needed && fits_at_risk(r.resolved.run, r.answer)) {
    const auto relief = memory_relief(r, *needed);
    return relief ? relief->settings : std::vector<Setting>();
  }
  const std::vector<Advice> advice = advice_of(r);
  if (const Advice* fits = first_that_fits(advice)) return fits->settings;
  const bool is_other_size = r.remedy && r.remedy->gpus != r.resolved.run.cluster.gpus;
  if (!r.remedy || (d.log && is_other_size)) return {};
  return r.remedy->settings;
}

// A faster run of one change, where one is.
std::vector<Setting> faster_settings(const RunReport& r) {
  for (const Advice& a : advice_of(r)) {
    if (a.fits && a.step_time < r.answer.step_time) return a.settings;
  }
  return {};
}

constexpr const char* kProfile =
    "no change of the run explains it; a trace of one step (torch.profiler, export_chrome_trace) "
    "decides: orrery diagnose TRACE.json ";

// The length that a derived number of tokens gives with the logged batch, where it is a power of
// two within this factor of it.
constexpr double kNearLength = 1.2;

// The command with places for the length and, where the log does not have the run's own, the batch.
std::string asks_for_tokens(const Diagnosis& d, const TypedRun& run) {
  constexpr const char* kBatch = key_path<&TrainingRequest::global_batch>;
  const auto& logged = d.log->settings;
  const bool has_batch = std::any_of(logged.begin(), logged.end(),
                                     [](const LoggedSetting& s) { return s.key == kBatch; });
  std::vector<Setting> places = {{key_path<&TrainingRequest::sequence_length>, "N"}};
  if (!has_batch) places.push_back({kBatch, "N"});
  return "orrery diagnose " + file_as_typed(d.file) + " " + typed_with(run, places);
}

std::string other_run_words(const OtherSetting& s, const Diagnosis& d, const TypedRun& run) {
  if (!s.is_derived) {
    if (s.key == kTokensOfStep) return asks_for_tokens(d, run);
    return "orrery diagnose " + file_as_typed(d.file) + " " +
           typed_with(run, {{std::string(s.key), std::to_string(s.log)}});
  }
  const auto batch = static_cast<double>(d.run->resolved.run.training.global_batch);
  const double length = static_cast<double>(s.log) / batch;
  const double power = std::exp2(std::round(std::log2(length)));
  const bool is_near = length < power * kNearLength && power < length * kNearLength;
  if (!is_near) return asks_for_tokens(d, run);
  return "orrery diagnose " + file_as_typed(d.file) + " " +
         typed_with(run, {{std::string(key_path<&TrainingRequest::sequence_length>),
                           std::to_string(static_cast<std::int64_t>(power))}});
}

// A log's next command: the run that the log is of, the layout it has, the change that explains it.
std::string next_of_log(const Diagnosis& d, const TypedRun& run) {
  const TrainingAgainst a = against(*d.run, *d.log);
  if (!a.other_settings.empty()) return other_run_words(a.other_settings[0], d, run);
  if (assumes_what_cannot_fit(*d.run)) {
    return "orrery diagnose " + file_as_typed(d.file) + " " + typed_with(run) + " --tp N --pp N" +
           (is_moe(d.run->resolved.run.model) ? " --ep N" : "");
  }
  if (is_as_predicted(*d.run, step_of(*d.log, d.run->resolved.run))) {
    const std::vector<Setting> faster = faster_settings(*d.run);
    if (faster.empty())
      return "nothing to change: it runs as predicted, and no one change is faster";
    return "orrery estimate " + typed_with(run, faster);
  }
  if (a.causes.empty() || a.causes[0].settings.empty()) return kProfile + typed_with(run);
  return "orrery estimate " + typed_with(run, a.causes[0].settings);
}

std::string next_words(const Diagnosis& d, const TypedRun& run) {
  const DiagnosedCause* cause = likeliest(d);
  if (cause != nullptr && cause->outside_run) return kMendFirst;
  if (d.log && d.messages.empty() && !d.profile) return next_of_log(d, run);
  if (cause != nullptr && !cause->settings.empty())
    return "orrery estimate " + typed_with(run, cause->settings);
  const std::vector<Setting> fitting = fitting_settings(d);
  const bool is_sure = fits_at_risk(d.run->resolved.run, d.run->answer);
  if (fitting.empty() && is_sure) {
    return cause != nullptr && !cause->mend.empty()
               ? kMendFirst
               : "nothing to type: the run as it is described fits; the settings that the job's "
                 "first lines print say where it is another";
  }
  if (fitting.empty())
    return "nothing to type: no change that is tried here fits; fewer tokens a GPU or more GPUs do";
  return "orrery estimate " + typed_with(run, fitting);
}

const HeldMemory* largest_holder(const Diagnosis& d) {
  if (d.messages.empty() || d.messages[0].message.holders.empty()) return nullptr;
  return &d.messages[0].message.holders[0];
}

// From this part of the likeliest's probability on, neither of two is the answer [judgement].
constexpr double kTie = 0.9;

const DiagnosedCause* as_likely(const Diagnosis& d, const DiagnosedCause& first) {
  for (const DiagnosedMessage& m : d.messages) {
    if (m.message.kind == MessageKind::device_list || m.causes.size() < 2) continue;
    if (&m.causes[0] == &first && m.causes[1].probability >= kTie * first.probability)
      return &m.causes[1];
  }
  return nullptr;
}

void add_mends(const DiagnosedCause& c, const DiagnosedCause* other, Section& s) {
  if (other == nullptr) {
    if (!c.mend.empty()) s.add(labelled("mend", c.mend));
    return;
  }
  s.add(labelled("check", c.check + "; " + other->check));
  if (!c.mend.empty()) s.add(labelled("mend", "of the first: " + c.mend));
  if (!other->mend.empty()) s.add(labelled("mend", "of the second: " + other->mend));
}

Section answer_section(const Diagnosis& d) {
  Section s;
  if (const DiagnosedCause* c = likeliest(d)) {
    const std::string part = d.profile ? " of what is lost" : "";
    const DiagnosedCause* other = as_likely(d, *c);
    if (other != nullptr) {
      s.add(labelled("answer", bold("undecided between two") + " (" + percent(c->probability, 0) +
                                   part + " each): " + bold(c->what) + ", " + c->evidence +
                                   "; or " + bold(other->what) + ", " + other->evidence));
    } else {
      s.add(labelled("answer", bold(c->what) + " (" + percent(c->probability, 0) + part + ")" +
                                   (c->evidence.empty() ? "" : ": " + c->evidence)));
    }
    add_mends(*c, other, s);
  } else if (const auto fault = d.log ? fault_of(*d.log) : std::nullopt) {
    s.add(labelled("answer", bold(fault->what) + ": " + fault->evidence));
    s.add(labelled("check", fault->check));
    s.add(labelled("mend", fault->mend));
  } else if (d.log && d.run) {
    const TrainingAgainst beside = against(*d.run, *d.log);
    s.add(labelled("answer", bold(slow_words(beside, *d.run))));
    if (asks_for_check(beside, *d.run)) s.add(labelled("check", beside.causes[0].check));
  } else if (d.log && !d.profile) {
    s.add(labelled("answer", bold(steady_words(*d.log))));
  } else if (d.nccl && d.messages.empty() && d.collectives.empty()) {
    s.add(labelled("answer",
                   bold("NCCL's lines name no slow link") +
                       (d.nccl->network_line.empty() ? "" : ": “" + d.nccl->network_line + "”")));
  } else if (const HeldMemory* h = largest_holder(d)) {
    s.add(labelled("answer", bold(h->where) + " holds " + gib_text(h->size) + " at the peak, of " +
                                 gib_text(*d.messages[0].message[Stated::peak_allocated])));
  } else if (d.profile) {
    s.add(labelled("answer", bold("the GPU computes " +
                                  percent(share_of_profile(d.profile->computing, *d.profile), 0) +
                                  " of the time") +
                                 ": what is left to gain is in the kernels"));
  }
  return s;
}

// A trace of the run as it is predicted, and changes that would fit or be faster.
void add_run(const Diagnosis& d, AnswerDocument& document) {
  const RunReport& r = *d.run;
  if (d.log) {
    AnswerDocument beside = training_against_document(r, *d.log);
    for (std::size_t i = 1; i < beside.sections.size(); ++i)
      document.add(std::move(beside.sections[i]));
  }
  // A job that ran out of memory needs none of the changes that would be faster.
  if (d.messages.empty() || (needed_by(d) && fits_at_risk(r.resolved.run, r.answer))) return;
  document.add(limit_section(r));
  document.add(remedy_section(r));
}

Paragraph collectives_next(const Diagnosis& d, const TypedRun& run) {
  std::string node = "NODE";
  for (const Setting& s : run.settings) {
    if (s.path == key_path<&ClusterRequest::node>) node = s.value;
  }
  if (d.run) node = std::string(d.run->resolved.run.cluster.node.view());
  return labelled("next",
                  "orrery collective --against " + file_as_typed(d.file) + " --node " + node);
}

void add_cause(const std::string& form, const DiagnosedCause& c, Table& table) {
  table.add({form, c.what, data_cell(c.probability), c.evidence, c.check, c.mend, c.change});
}

Table cause_rows(const Diagnosis& d) {
  Table table(
      {{"message"}, {"cause"}, {"probability"}, {"evidence"}, {"check"}, {"mend"}, {"change"}});
  for (const DiagnosedMessage& m : d.messages) {
    for (const DiagnosedCause& c : m.causes) add_cause(m.message.form, c, table);
  }
  for (const DiagnosedCause& c : d.losses) add_cause("a profiler's trace", c, table);
  for (const DiagnosedCause& c : d.link_causes) add_cause("NCCL's lines", c, table);
  return table;
}

Json causes_json(const std::vector<DiagnosedCause>& causes) {
  return json_list(causes, [](const DiagnosedCause& c) -> Json {
    return {{"what", c.what},         {"probability", c.probability},
            {"evidence", c.evidence}, {"check", c.check},
            {"mend", c.mend},         {"change", c.change}};
  });
}

Json profile_json(const StepProfile& p, const std::vector<DiagnosedCause>& losses) {
  Json j = {{"gpu", p.gpu},
            {"steps", p.steps},
            {"step_time_s", p.step_time ? Json(p.step_time->si()) : Json()},
            {"span_s", p.span.si()},
            {"computing_s", p.computing.si()},
            {"communicating_s", p.communicating.si()},
            {"exposed_communication_s", p.exposed_communication.si()},
            {"exposed_copies_s", p.exposed_copies.si()},
            {"idle_s", p.idle.si()},
            {"kernels", p.kernels},
            {"median_kernel_s", p.median_kernel.si()}};
  j["largest_kernels"] = json_list(p.largest, [](const KernelTime& k) -> Json {
    return {{"name", k.name}, {"time_s", k.time.si()}, {"calls", k.calls}};
  });
  for (const HostWait w : kAllOf<HostWait>) {
    j["host"][std::string(name_of(w))] = {{"time_s", p.host[w].time.si()},
                                          {"gpu_idle_s", p.host[w].idle.si()},
                                          {"calls", p.host[w].calls}};
  }
  j["causes"] = causes_json(losses);
  return j;
}

Json message_json(const DiagnosedMessage& d, const RunReport* r) {
  const MemoryMessage& m = d.message;
  Json bytes = Json::object();
  Json predicted = Json::object();
  for (const Stated s : kAllOf<Stated>) {
    if (!m[s]) continue;
    bytes[std::string(name_of(s))] = m[s]->si();
    const auto p = r == nullptr ? std::nullopt : predicted_of(s, *r);
    if (p) predicted[std::string(name_of(s))] = p->si();
  }
  Json j = {{"kind", name_of(m.kind)},
            {"form", m.form},
            {"count", m.count},
            {"line", m.line},
            {"label", m.label},
            {"bytes", bytes},
            {"predicted_bytes", predicted},
            {"retries", m.retries}};
  j["devices"] = json_list(m.devices, [](const ListedDevice& x) -> Json {
    return {{"used_bytes", x.used.si()},
            {"capacity_bytes", x.capacity.si()},
            {"load", x.load ? Json(*x.load) : Json()},
            {"power_w", x.power ? Json(x.power->si()) : Json()},
            {"power_cap_w", x.cap ? Json(x.cap->si()) : Json()}};
  });
  j["holders"] = json_list(m.holders, [](const HeldMemory& h) -> Json {
    return {{"where", h.where}, {"bytes", h.size.si()}, {"blocks", h.blocks}};
  });
  j["causes"] = causes_json(d.causes);
  return j;
}

Json log_json(const TrainingLog& log) {
  const auto number = [](const auto& x) { return x ? Json(x->si()) : Json(); };
  const auto plain_number = [](const std::optional<double>& x) { return x ? Json(*x) : Json(); };
  Json j = {{"form", log.form},
            {"steps", log.steps},
            {"step_time_s", number(log.step_time)},
            {"samples_per_s", plain_number(log.samples_per_s)},
            {"tokens_per_s_per_gpu", plain_number(log.tokens_per_s_per_gpu)},
            {"model_flops_per_gpu", number(log.flops_per_gpu)},
            {"mfu", plain_number(log.mfu)},
            {"allocator_retries", plain_number(log.retries)},
            {"second_half_over_first", plain_number(log.slowed)},
            {"data_time_s", number(log.data_time)},
            {"allocated_bytes", number(log.allocated)},
            {"reserved_bytes", number(log.reserved)}};
  for (const LoggedSetting& s : log.settings) j["settings"][std::string(s.key)] = s.value;
  return j;
}

Json nccl_json(const NcclSetup& setup, const std::vector<DiagnosedCause>& causes) {
  return {{"network", setup.network ? Json(name_of(*setup.network)) : Json()},
          {"why", name_of(setup.why)},
          {"line", setup.network_line},
          {"through_host", setup.through_host},
          {"causes", causes_json(causes)}};
}

AnswerDocument read_document(const Diagnosis& d) {
  AnswerDocument document{"Diagnosis of " + d.file, {}, cause_rows(d)};
  Section head;
  head.add(labelled("read", joined(read_words(d), "; ")));
  document.add(std::move(head));
  return document;
}

void add_messages(const Diagnosis& d, AnswerDocument& document) {
  for (const DiagnosedMessage& m : d.messages) {
    document.add(message_section(m, d.run ? &*d.run : nullptr));
    document.add(causes_section(m.causes, ", the likeliest first"));
  }
}

}  // namespace

AnswerDocument messages_document(const Diagnosis& d) {
  AnswerDocument document = read_document(d);
  add_messages(d, document);
  return document;
}

AnswerDocument diagnosis_document(const Diagnosis& d, const TypedRun& run) {
  const RunReport* r = d.run ? &*d.run : nullptr;
  AnswerDocument document = read_document(d);
  if (r != nullptr) document.add(run_header(r->resolved));
  add_messages(d, document);
  if (d.profile) {
    document.add(profile_section(*d.profile));
    document.add(causes_section(d.losses, ", the dearest first, by their part of what is lost"));
  }
  document.add(collectives_section(d.collectives));
  document.add(causes_section(d.link_causes, " that NCCL's lines name"));
  if (d.log && !d.profile && r == nullptr) document.add(log_section(*d.log));
  if (r != nullptr) add_run(d, document);
  Section end = answer_section(d);
  if (!d.collectives.empty()) {
    end.add(collectives_next(d, run));
  } else if (r == nullptr) {
    add_asking(d, end);
  } else {
    end.add(labelled("next", next_words(d, run)));
  }
  document.add(std::move(end));
  return document;
}

Json diagnosis_json(const Diagnosis& d) {
  const RunReport* r = d.run ? &*d.run : nullptr;
  Json j = {{"file", d.file}, {"read", read_words(d)}};
  j["messages"] =
      json_list(d.messages, [&](const DiagnosedMessage& m) { return message_json(m, r); });
  j["log"] = d.log && !d.profile ? log_json(*d.log) : Json();
  j["profile"] = d.profile ? profile_json(*d.profile, d.losses) : Json();
  j["collectives"] = json_list(d.collectives, [](const NcclRow& row) -> Json {
    return {{"size_bytes", row.size.si()}, {"time_s", row.time.si()}, {"busbw", row.bus.si()}};
  });
  j["nccl"] = d.nccl ? nccl_json(*d.nccl, d.link_causes) : Json();
  j["against"] = d.log && r != nullptr ? training_against_json(*r, *d.log) : Json();
  j["prediction"] = r != nullptr ? estimate_json(*r) : Json();
  return versioned(std::move(j));
}

}  // namespace orrery
