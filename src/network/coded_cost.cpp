// SPDX-License-Identifier: Apache-2.0
#include "network/coded_cost.h"

namespace orrery {
namespace {

// Work of one rank, in shares of the full buffer.
struct CodecWork {
  double compressed = 1;
  double decompressed = 1;
  std::int64_t calls = 2;
};

constexpr CodecWork codec_work(Collective kind, std::int64_t ranks, bool recompresses) {
  const auto n = static_cast<double>(ranks);
  const double others = (n - 1) / n;
  switch (kind) {
    case Collective::all_gather:
      return {1 / n, others, 2};
    case Collective::all_to_all:
      return {others, others, 2};
    case Collective::reduce_scatter:
      return recompresses ? CodecWork{others, others, 2 * (ranks - 1)}
                          : CodecWork{others, 1 / n, 2};
    case Collective::all_reduce:
      return recompresses ? CodecWork{1, 2 * others, 2 * ranks} : CodecWork{};
    case Collective::reduce:
      return recompresses ? CodecWork{1, 1, 2 * (ranks - 1)} : CodecWork{};
    case Collective::point_to_point:
    case Collective::broadcast:
      return {};
  }
  return {};
}

template <Number R>
SecondsOf<R> pass_codec(BytesOf<R> full, double share, BytesPerSecond rate, const Label& label) {
  if (rate.si() == 0 || share == 0) return {};
  return full * lift<R>(share, {"share of the buffer through the codec"}) / lift<R>(rate, label);
}

}  // namespace

template <Number R>
SecondsOf<R> codec_time(const Codec& codec, Collective kind, std::int64_t ranks, BytesOf<R> full) {
  const CodecWork w = codec_work(kind, ranks, codec.recompresses);
  SecondsOf<R> time =
      pass_codec(full, w.compressed, codec.compress, {"throughput of compression"}) +
      pass_codec(full, w.decompressed, codec.decompress, {"throughput of decompression"});
  if (codec.call.si() > 0) {
    time += count<R>(w.calls, {"calls of the codec"}) *
            lift<R>(codec.call, {"time to start the codec"});
  }
  return named(time, {"codec time"});
}

template <Number R>
CollectiveCost<R> coded_cost(const Cluster& c, const Group& g, Collective kind, BytesOf<R> full,
                             const Codec& codec) {
  if (!is_on(codec)) return collective_cost(c, g, kind, full);
  const BytesOf<R> sent = full / lift<R>(codec.ratio, {"compression ratio"});
  CollectiveCost<R> cost = collective_cost(c, g, kind, sent);
  if (cost.algorithm == Algorithm::none) return cost;
  if (cost.algorithm == Algorithm::in_switch && kind != Collective::all_gather) {
    cost = collective_cost_by(Algorithm::ring, c, g, kind, sent);
  }
  cost.ratio = codec.ratio;
  cost.codec = codec_time<R>(codec, kind, g.ranks, full);
  cost.time += cost.codec;
  return cost;
}

template SecondsOf<double> codec_time(const Codec&, Collective, std::int64_t, BytesOf<double>);
template SecondsOf<Traced> codec_time(const Codec&, Collective, std::int64_t, BytesOf<Traced>);
template CollectiveCost<double> coded_cost(const Cluster&, const Group&, Collective,
                                           BytesOf<double>, const Codec&);
template CollectiveCost<Traced> coded_cost(const Cluster&, const Group&, Collective,
                                           BytesOf<Traced>, const Codec&);

}  // namespace orrery
