// SPDX-License-Identifier: Apache-2.0
//
// The keys of a row of published or observed runs, one row each (core/keys.h).
#pragma once

#include "core/keys.h"
#include "explore/search_keys.h"
#include "validate/observed.h"
#include "validate/rows.h"

namespace orrery {

void read_step_time_s(const Reader& r, std::optional<Seconds>& out);
void read_tokens_per_s(const Reader& r, std::optional<PerSecond>& out);
void read_tflops(const Reader& r, std::optional<FlopsPerSecond>& out);
void read_gib(const Reader& r, std::optional<Bytes>& out);
void read_row_source(const Reader& r, RowSource& out);
void read_row_run(const Reader& r, KeptJson& out);
void read_measured(const Reader& r, Measured& out);
void read_observed_run(const Reader& r, std::optional<Json>& out);
void read_observed_measured(const Reader& r, ObservedStep& out);

namespace row_forms {

constexpr Form above_zero(std::string_view unit) {
  return form::number(kAboveZero, std::numeric_limits<double>::max(), unit);
}
inline constexpr Form kShare = form::number(kAboveZero, 1, "share");
inline constexpr Form kText = form::text("text");
inline constexpr Form kRunKey = form::text("the path of a key");

}  // namespace row_forms

inline constexpr auto kMeasuredRows = [] {
  using namespace row_forms;
  using M = Measured;
  return keys<M>(
      fact<&M::step_time>("step_time_s", form::number(kAboveZero, 1e7, "seconds"), kNothing,
                          "of a step")
          .only_read_by<read_step_time_s>(),
      fact<&M::tokens_per_gpu>("tokens_per_s_per_gpu", above_zero("tokens/s"), kNothing, "of a GPU")
          .only_read_by<read_tokens_per_s>(),
      fact<&M::model_rate>("model_tflops_per_gpu", above_zero("TFLOP/s"), kNothing,
                           "of a GPU, the model's FLOPs")
          .only_read_by<read_tflops>(),
      fact<&M::hardware_rate>("hardware_tflops_per_gpu", above_zero("TFLOP/s"), kNothing,
                              "of a GPU, FLOPs executed")
          .only_read_by<read_tflops>(),
      fact<&M::mfu>("mfu", kShare, kNothing, "model FLOPs over the peak"),
      fact<&M::hfu>("hfu", kShare, kNothing, "FLOPs executed over the peak"),
      fact<&M::peak_memory>("peak_memory_gib", above_zero("GiB"), kNothing, "of the fullest GPU")
          .only_read_by<read_gib>(),
      fact<&M::memory_kind>("memory_kind", form::one_of<MemoryKind>(), otherwise("device"),
                            "what that memory is"),
      fact<&M::out_of_memory>("out_of_memory", form::boolean(), otherwise("false"),
                              "the run did not fit"));
}();
inline constexpr Keys<Measured> kMeasuredKeys{"measured", kMeasuredRows};
template <>
struct KeysOf<Measured> {
  static constexpr const Keys<Measured>& table = kMeasuredKeys;
};

inline constexpr auto kRowSourceRows =
    keys<RowSource>(fact<&RowSource::title>("title", row_forms::kText, kNothing, "of the source"),
                    fact<&RowSource::where>("where", row_forms::kText, kNothing, "in it"),
                    fact<&RowSource::url>("url", row_forms::kText, kNothing, "of it"),
                    fact<&RowSource::group>("group", row_forms::kText, otherwise("title"),
                                            "rows of one publication"),
                    fact<&RowSource::team>("team", row_forms::kText, otherwise("group"),
                                           "who measured; left out together"));
inline constexpr Keys<RowSource> kRowSourceKeys{"source", kRowSourceRows};

inline constexpr auto kRowRows = [] {
  using namespace row_forms;
  return keys<Row>(
      fact<&Row::id>("id", kText, kRequired, "its name, each once"),
      fact<&Row::tier>("tier", form::one_of<RowTier>(), otherwise("A"),
                       "B: the source leaves out what moves time"),
      fact<&Row::source>("source", either(kText, form::object(kRowSourceKeys)),
                         otherwise("the file"), "where it is published")
          .only_read_by<read_row_source>(),
      fact<&Row::run>("run", form::document("run", &kRunFileDocument), kRequired,
                      "the run; in published rows an object")
          .only_read_by<read_row_run>(),
      fact<&Row::measured>("measured", form::object(kMeasuredKeys), kRequired,
                           "at least one quantity")
          .only_read_by<read_measured>(),
      fact<&Row::unknown>("unknown", form::list(kRunKey), kNothing, "what the source does not say"),
      fact<&Row::inferred>("inferred", form::list(kRunKey), kNothing,
                           "concluded from something else in the source"),
      fact<&Row::flops_kind>("tflops_kind", form::one_of<FlopsKind>(), otherwise("unknown"),
                             "the FLOPs that its rates count"),
      fact<&Row::notes>("notes", kText, kNothing, "for readers"),
      fact<&Row::repeats>("repeats", kText, kNothing,
                          "id of the row that measures the same run, and alone counts"));
}();
inline constexpr Keys<Row> kRowKeys{"", kRowRows};

inline constexpr auto kObservedRows = keys<ObservedStep>(
    fact<&ObservedStep::run>("run", form::document("run", &kRunFileDocument), kRequired,
                             "the run that was measured")
        .only_read_by<read_observed_run>(),
    fact<&ObservedStep::time>("step_time", form::quantity(kSeconds), kNothing, "of a step"),
    fact<&ObservedStep::time>("measured", form::object(kMeasuredKeys), kNothing,
                              "in place of step_time, in a row of published runs")
        .only_read_by<read_observed_measured>());
inline constexpr Keys<ObservedStep> kObservedKeys{"", kObservedRows};

}  // namespace orrery
