// SPDX-License-Identifier: Apache-2.0
#include "exchange/measurements/fields.h"

#include "core/json.h"
#include "exchange/collective_names.h"
#include "network/bus_factor.h"

namespace orrery::detail {
namespace {

constexpr std::int64_t kMostElements = 1'000'000'000;
constexpr std::int64_t kMostCount = 10'000'000;
constexpr double kMostBytes = 1e15;
constexpr double kMostMicroseconds = 1e12;

std::int64_t extent(Reader& r, const std::string& key) {
  return r.at(key).integer(1, kMostElements);
}

Precision precision(Reader& r) { return r.at("dtype").choice<Precision>(); }

bool boolean_or(Reader& r, const std::string& key, bool otherwise) {
  const auto found = r.find(key);
  return found ? found->boolean() : otherwise;
}

constexpr std::array<std::string_view, 3> kLayouts = {"TN", "NN", "NT"};

MeasuredProduct read_product(Reader& r, std::string& layout) {
  MeasuredProduct p;
  if (const auto found = r.find("layout")) layout = kLayouts[found->choice(kLayouts)];
  p.shape.m = extent(r, "m");
  p.shape.n = extent(r, "n");
  p.shape.k = extent(r, "k");
  p.precision = precision(r);
  if (const auto groups = r.find("groups")) p.shape.groups = groups->integer(1, kMostCount);
  p.shape.grouped = p.shape.groups > 1;
  p.shape.uneven_k = p.shape.grouped && boolean_or(r, "weight_gradient", false);
  return p;
}

MeasuredAttention read_attention(Reader& r) {
  MeasuredAttention a;
  a.kernel = r.at("kernel").choice<AttentionKernel>();
  a.pass = r.at("pass").choice<AttentionPass>();
  a.shape.groups = r.at("batch").integer(1, kMostCount) * r.at("heads").integer(1, 100'000);
  a.shape.queries = a.shape.keys = r.at("sequence").integer(1, kMostElements);
  a.shape.head_dim = a.shape.value_dim = r.at("head_dim").integer(1, 4096);
  a.shape.pairs = r.at("causal").boolean() ? 0.5 : 1;
  a.precision = precision(r);
  return a;
}

Bytes bytes_at(Reader& r) { return Bytes(r.at("bytes").number(1, kMostBytes)); }

void read_word(Reader& r, const std::string& key, std::string_view only) {
  if (r.at(key).text() != only) r.at(key).fail("\"" + std::string(only) + "\"");
}

MeasuredWork read_work(Reader& r, std::string& kernel) {
  if (r.has("m")) return read_product(r, kernel);
  if (r.has("head_dim")) return read_attention(r);
  if (r.has("collective")) {
    MeasuredCollective c = read_collective(r);
    c.size = bytes_at(r);
    return c;
  }
  if (r.has("copy")) {
    constexpr std::array<std::string_view, 2> kWays = {"host", kToHost};
    if (r.at("copy").choice(kWays) == 1) kernel = kToHost;
    return MeasuredHostCopy{bytes_at(r)};
  }
  if (r.has("launch")) {
    read_word(r, "launch", "empty");
    return MeasuredLaunch{};
  }
  if (r.has("kernel")) {
    kernel = r.at("kernel").text();
    return MeasuredMemory{bytes_at(r)};
  }
  r.fail("no kind of work known here",
         "m,n,k or head_dim or collective or kernel,bytes or copy or launch");
}

// The time of a collective from its busbw, in GB/s as nccl-tests prints it.
Seconds time_of_busbw(Reader& r, const MeasuredCollective& c) {
  if (r.has("us")) r.at("us").fail("nothing: `busbw` says it");
  constexpr double kGiga = 1e9;
  return c.size * bus_factor(c.kind, c.ranks) /
         BytesPerSecond(r.at("busbw").number(1e-9, 1e6) * kGiga);
}

Seconds read_time(Reader& r, const Measurement& m) {
  constexpr double kMicro = 1e-6;
  const auto* collective = std::get_if<MeasuredCollective>(&m.work);
  if (collective != nullptr && r.has("busbw")) return time_of_busbw(r, *collective);
  const bool has_flops = !counts_bytes(m) && amount_of(m) > 0;
  if (has_flops && r.has("tflops")) {
    if (r.has("us")) r.at("us").fail("nothing: `tflops` says it");
    constexpr double kTera = 1e12;
    return Flops(amount_of(m)) / FlopsPerSecond(r.at("tflops").number(1e-6, 1e6) * kTera);
  }
  return Seconds(r.at("us").number(1e-6, kMostMicroseconds) * kMicro);
}

}  // namespace

MeasuredCollective read_collective(Reader& r) {
  const Reader name = r.at("collective");
  const auto kind = collective_named(name.text());
  if (!kind) {
    name.fail(ErrorCode::unknown_name, brief(name.json()),
              "all-reduce, all-gather, reduce-scatter, all-to-all, broadcast or point-to-point");
  }
  return {*kind, r.at("ranks").integer(2, kMostCount), {}};
}

Measurement read_measured(Reader r) {
  r.must_be_object();
  Measurement m;
  m.work = read_work(r, m.kernel);
  m.timed.time = read_time(r, m);
  if (const auto spread = r.find("spread")) m.timed.spread = spread->number(0, 10);
  r.reject_unknown();
  return m;
}

}  // namespace orrery::detail
