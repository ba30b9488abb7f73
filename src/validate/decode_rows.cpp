// SPDX-License-Identifier: Apache-2.0
#include "validate/decode_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "calibrate/least_squares.h"
#include "core/error.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "core/key_access.h"
#include "estimate/given_document.h"
#include "generate/decode.h"
#include "generate/engine_json.h"
#include "generate/pool.h"
#include "generate/prefill.h"
#include "hardware/cluster_reader.h"
#include "model/architecture_json.h"

namespace orrery {

namespace decode_forms {
inline constexpr Form kText = form::text("text");
inline constexpr Form kDegree = form::whole(1, 65536, "ranks");
inline constexpr Form kTokens = form::whole(1, 1 << 30, "tokens");
constexpr Form above_zero(std::string_view unit) { return form::number(kAboveZero, 1e12, unit); }
}  // namespace decode_forms

inline constexpr auto kDecodeMeasuredRows = [] {
  using namespace decode_forms;
  using M = DecodeMeasured;
  return keys<M>(
      fact<&M::token_s>("token_s", above_zero("seconds"), kNothing, "a token of one request"),
      fact<&M::tokens_per_s>("tokens_per_s", above_zero("tokens/s"), kNothing, "of the engine"),
      fact<&M::tokens_per_s_per_gpu>("tokens_per_s_per_gpu", above_zero("tokens/s"), kNothing,
                                     "of a GPU"),
      fact<&M::first_token_s>("first_token_s", above_zero("seconds"), kNothing, "of one request"));
}();
inline constexpr Keys<DecodeMeasured> kDecodeMeasuredKeys{"measured", kDecodeMeasuredRows};
template <>
struct KeysOf<DecodeMeasured> {
  static constexpr const Keys<DecodeMeasured>& table = kDecodeMeasuredKeys;
};

inline constexpr auto kDecodeRowRows = [] {
  using namespace decode_forms;
  using R = DecodeRow;
  return keys<R>(
      fact<&R::id>("id", kText, kRequired, "its name"),
      fact<&R::series>("series", kText, kRequired, "rows that stand or fall together"),
      fact<&R::kind>("kind", form::one_of<DecodeKind>(), kRequired, "how it was measured"),
      fact<&R::tier>("tier", form::one_of<RowTier>(), otherwise("A"), "B: something is not said"),
      fact<&R::model>("model", kText, kRequired, "a name in configs/models"),
      fact<&R::node>("node", kText, kRequired, "a name in configs/hardware/nodes"),
      fact<&R::engine>("engine", kText, kRequired, "a name in configs/engines"),
      fact<&R::tp>("tp", kDegree, otherwise("1"), "tensor parallelism"),
      fact<&R::ep>("ep", kDegree, otherwise("1"), "expert parallelism"),
      fact<&R::dp>("dp", kDegree, otherwise("1"), "replicas of attention"),
      fact<&R::precision>("precision", form::one_of<Precision>(), otherwise("bf16"), "of weights"),
      fact<&R::cache_precision>("cache_precision", form::one_of<Precision>(), otherwise("bf16"),
                                "of keys and values"),
      fact<&R::memory_share>("memory_share", form::number(0.01, 1, ""), kNothing,
                             "of the device, where it is not the engine's own"),
      fact<&R::batch>("batch", form::whole(1, 1 << 20, "requests"), kNothing, "requests at once"),
      fact<&R::input>("input", kTokens, kRequired, "of a prompt"),
      fact<&R::output>("output", kTokens, kRequired, "of an answer"),
      fact<&R::measured>("measured", form::object(kDecodeMeasuredKeys), kRequired, "one of them"),
      fact<&R::source>("source", kText, kRequired, "where it is published"));
}();
inline constexpr Keys<DecodeRow> kDecodeRowKeys{"", kDecodeRowRows};

namespace {

constexpr const char* kDecodeWord = "decode";

double tokens(std::int64_t n) { return static_cast<double>(n); }

// --- predictions, in seconds of what was measured

Seconds answer_time(const Generator& g, const DecodeRow& r, std::int64_t batch) {
  const double context = tokens(r.input) + tokens(r.output - 1) / 2;
  return sum_of(engine_pass(g, batch, context)) * (tokens(r.output) / g.tokens_a_pass);
}

std::int64_t running_of(const Generator& g, const DecodeRow& r) {
  const double share = r.memory_share.value_or(g.engine.memory.share);
  const double all = tokens(r.input + r.output);
  const EnginePool pool = pool_of(g, share, g.engine.limits.running, {all, all});
  const double each = tokens(r.input) + tokens(r.output) / 2;
  const double most = tokens(pool.running * g.layout.dp);
  return static_cast<std::int64_t>(std::max(1.0, std::min(pool.tokens / each, most)));
}

// While one answer is made, the prompts of the others that follow are read once.
Seconds closed_loop_token(const Generator& g, const DecodeRow& r) {
  const std::int64_t batch = std::min(*r.batch, running_of(g, r));
  const Seconds reading = prefill_time(g, 1, r.input) * tokens(batch - 1);
  return (answer_time(g, r, batch) + reading) / tokens(r.output);
}

Seconds batch_time(const Generator& g, const DecodeRow& r, std::int64_t batch) {
  return prefill_time(g, batch, r.input) + answer_time(g, r, batch);
}

// Seconds for one token of the engine, of all its requests together.
Seconds loaded_token(const Generator& g, const DecodeRow& r, std::int64_t batch) {
  return batch_time(g, r, batch) / (tokens(batch) * tokens(r.output));
}

// A prediction in the unit of the measurement: a time, or a rate.
double predicted_of(const Generator& g, const DecodeRow& r) {
  switch (r.kind) {
    case DecodeKind::closed_loop:
      return closed_loop_token(g, r).si();
    case DecodeKind::fixed_batch:
      return 1 / loaded_token(g, r, *r.batch).si();
    case DecodeKind::offline:
      return 1 / loaded_token(g, r, std::min(*r.batch, running_of(g, r))).si();
    case DecodeKind::max_load:
      return 1 / loaded_token(g, r, running_of(g, r)).si() / tokens(gpus_of(g.layout));
    case DecodeKind::prefill:
      return prefill_time(g, r.batch.value_or(1), r.input).si();
  }
  return 0;
}

double measured_of(const DecodeRow& r, const std::string& file) {
  const DecodeMeasured& m = r.measured;
  for (const auto& x : {m.token_s, m.tokens_per_s, m.tokens_per_s_per_gpu, m.first_token_s}) {
    if (x) return *x;
  }
  throw InputError(file, r.id, "nothing measured", "one quantity of `measured`");
}

bool is_time(DecodeKind k) { return k == DecodeKind::closed_loop || k == DecodeKind::prefill; }

// --- documents

GivenDocument document_at(const std::string& name, const std::string& what, const std::string& file,
                          const std::function<std::optional<ConfigText>(const std::string&)>& find,
                          const std::function<std::vector<std::string>()>& names) {
  const Json given = name;
  return find_document(Reader(given, file, what), what, find, names);
}

Generator generator_of(const DecodeRow& r, const std::string& file, const ConfigLookup& lookup) {
  Generator g;
  const GivenDocument model = document_at(r.model, "model", file, lookup.model, lookup.model_names);
  g.model = read_model(model.json, model.file, model.path, model.name).architecture;
  const GivenDocument engine =
      document_at(r.engine, "engine", file, lookup.engine, lookup.engine_names);
  g.engine = read_engine(engine.json, engine.file);
  g.layout = {r.tp, 1, r.ep, r.dp};
  const Json cluster = {{"node", r.node}, {"gpus", gpus_of(g.layout)}};
  g.cluster = read_cluster(Reader(cluster, file, "cluster"), lookup.hardware).cluster;
  g.weights = r.precision;
  g.cache = r.cache_precision;
  return g;
}

// --- constants left out by series

struct FittedConstant {
  double EngineRates::*share = nullptr;
  Seconds EngineRates::*time = nullptr;
};

// The constants of an engine that published points may move, by a factor around what they are.
constexpr std::array kFitted = {FittedConstant{&EngineRates::weights, nullptr},
                                FittedConstant{&EngineRates::cache, nullptr},
                                FittedConstant{&EngineRates::products, nullptr},
                                FittedConstant{&EngineRates::prefill, nullptr},
                                FittedConstant{nullptr, &EngineRates::kernel},
                                FittedConstant{nullptr, &EngineRates::exchange},
                                FittedConstant{nullptr, &EngineRates::token},
                                FittedConstant{nullptr, &EngineRates::sequence}};

// Values without data, and what a standard deviation of their logarithm is: shares as streaming
// kernels reach them, a launch within a graph, an all-reduce of a few kilobytes, and a host's loop.
EngineRates prior_rates(EngineRates r) {
  r.weights = 0.8;
  r.cache = 0.7;
  r.products = 0.7;
  r.prefill = 1;
  r.kernel = Seconds(4 * kMicro);
  r.exchange = Seconds(8 * kMicro);
  r.token = Seconds(kMilli);
  r.sequence = Seconds(10 * kMicro);
  return r;
}
constexpr std::array kPriorSpread = {0.15, 0.3, 0.4, 0.3, 0.5, 0.5, 0.8, 0.8};

EngineRates moved(EngineRates r, const std::vector<double>& x, std::size_t first) {
  for (std::size_t k = 0; k < kFitted.size(); ++k) {
    const double factor = std::exp(x[first + k] * kPriorSpread[k]);
    if (kFitted[k].share != nullptr) r.*kFitted[k].share *= factor;
    if (kFitted[k].time != nullptr) r.*kFitted[k].time = r.*kFitted[k].time * factor;
  }
  return r;
}

std::vector<std::string> engines_of(const std::vector<DecodePoint>& points) {
  std::set<std::string> names;
  for (const DecodePoint& p : points) names.insert(p.row.engine);
  return {names.begin(), names.end()};
}

class DecodeFit {
 public:
  explicit DecodeFit(std::vector<DecodePoint>& points)
      : points_(points), engines_(engines_of(points)) {
    problem_.knobs.resize(engines_.size() * kFitted.size());
    std::map<std::string, double> of_series;
    for (const DecodePoint& p : points) of_series[p.row.series] += 1;
    std::map<std::string, std::size_t> level_of;
    for (const auto& [series, n] : of_series) level_of.emplace(series, level_of.size());
    problem_.levels = level_of.size();
    problem_.level_spread = kSeriesSpread;
    for (std::size_t i = 0; i < points.size(); ++i) {
      FitDatum d;
      d.noise = kNoise;
      d.level = level_of[points[i].row.series];
      // A series counts as much as another one, however many its points are.
      d.weight = (points[i].row.tier == RowTier::a ? 3 : 0.3) / of_series[points[i].row.series];
      for (std::size_t k = 0; k < kFitted.size(); ++k) d.knobs.push_back(first_knob(i) + k);
      problem_.data.push_back(d);
    }
    problem_.residual = [this](std::size_t i, const std::vector<double>& x) {
      return std::log1p(points_[i].error(predicted(i, x)));
    };
    start_ = slopes_at(problem_, std::vector<double>(problem_.knobs.size(), 0.0));
    all_ = fit(problem_, select_all(problem_), start_, kLooks).x;
    start_ = slopes_at(problem_, all_);
  }

  void leave_out_series() {
    std::set<std::string> names;
    for (const DecodePoint& p : points_) names.insert(p.row.series);
    for (const std::string& series : names) {
      const std::vector<double> x = without(series);
      for (std::size_t i = 0; i < points_.size(); ++i) {
        if (points_[i].row.series == series) points_[i].left_out = predicted(i, x);
      }
    }
  }

  std::vector<FittedRates> on_all() const {
    std::vector<FittedRates> out;
    for (std::size_t e = 0; e < engines_.size(); ++e) {
      for (const DecodePoint& p : points_) {
        if (p.row.engine != engines_[e]) continue;
        out.push_back(
            {engines_[e], moved(prior_rates(p.generator.engine.rates), all_, e * kFitted.size())});
        break;
      }
    }
    return out;
  }

 private:
  static constexpr double kNoise = 0.1;
  static constexpr double kSeriesSpread = 0.15;  // of a series as a whole: model, version, site
  static constexpr int kLooks = 4;

  std::size_t first_knob(std::size_t i) const {
    const auto at = std::find(engines_.begin(), engines_.end(), points_[i].row.engine);
    return static_cast<std::size_t>(at - engines_.begin()) * kFitted.size();
  }

  double predicted(std::size_t i, const std::vector<double>& x) const {
    Generator g = points_[i].generator;
    g.engine.rates = moved(prior_rates(g.engine.rates), x, first_knob(i));
    return predicted_of(g, points_[i].row);
  }

  std::vector<double> without(const std::string& series) const {
    FitSelection selection = select_all(problem_);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].row.series == series) selection.data[i] = false;
    }
    return fit(problem_, selection, start_, 0).x;  // by the slopes where all rows lead
  }

  std::vector<DecodePoint>& points_;
  std::vector<std::string> engines_;
  FitProblem problem_;
  FitSlopes start_;
  std::vector<double> all_;
};

// --- summaries

template <class Is>
void summarise_where(const DecodeReport& report, const std::string& scope, const Is& is,
                     std::vector<DecodeSummary>& out) {
  std::vector<double> shipped;
  std::vector<double> left_out;
  std::set<std::string> series;
  for (const DecodePoint& p : report.points) {
    if (!is(p)) continue;
    shipped.push_back(p.error(p.predicted));
    left_out.push_back(p.error(p.left_out));
    series.insert(p.row.series);
  }
  if (shipped.empty()) return;
  out.push_back({scope, std::ssize(series), summarise(shipped), summarise(left_out)});
}

std::vector<DecodeSummary> summaries_of(const DecodeReport& r) {
  std::vector<DecodeSummary> out;
  const auto is_a = [](const DecodePoint& p) { return p.row.tier == RowTier::a; };
  summarise_where(r, "tier A, all kinds", is_a, out);
  summarise_where(
      r, "tier A, static and closed loop",
      [&](const DecodePoint& p) {
        return is_a(p) &&
               (p.row.kind == DecodeKind::fixed_batch || p.row.kind == DecodeKind::closed_loop);
      },
      out);
  for (const DecodeKind k : kAllOf<DecodeKind>) {
    summarise_where(
        r, "tier A, " + std::string(name_of(k)),
        [&](const DecodePoint& p) { return is_a(p) && p.row.kind == k; }, out);
  }
  for (const std::string& engine : engines_of(r.points)) {
    summarise_where(
        r, "tier A, " + engine,
        [&](const DecodePoint& p) { return is_a(p) && p.row.engine == engine; }, out);
  }
  summarise_where(
      r, "tier B", [&](const DecodePoint& p) { return !is_a(p); }, out);
  return out;
}

}  // namespace

bool is_decode_file(std::string_view text) {
  const Json j = Json::parse(text, nullptr, false, true);
  return j.is_object() && j.value("kind", "") == kDecodeWord;
}

DecodeReport judge_decode(std::string_view text, const std::string& file,
                          const ConfigLookup& lookup) {
  const Json document = parse_json(text, file);
  Reader root(document, file);
  root.allow("kind");
  DecodeReport report;
  for (const Reader& item : root.at("rows").items()) {
    DecodePoint p;
    p.row = read_keys(kDecodeRowKeys, item);
    p.generator = generator_of(p.row, file, lookup);
    p.is_time = is_time(p.row.kind);
    p.measured = measured_of(p.row, file);
    p.predicted = predicted_of(p.generator, p.row);
    report.points.push_back(std::move(p));
  }
  root.reject_unknown();
  DecodeFit fit(report.points);
  fit.leave_out_series();
  report.fitted = fit.on_all();
  report.summaries = summaries_of(report);
  return report;
}

}  // namespace orrery
