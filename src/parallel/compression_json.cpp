// SPDX-License-Identifier: Apache-2.0
#include "parallel/compression_json.h"

#include <algorithm>

#include "core/json.h"
#include "core/provenance.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr double kLargestRatio = 10000;
constexpr const char* kUnlimited = "unlimited";

double element_of(CommDimension d, Collective c, const WireElements& e) {
  const bool of_parameters =
      d == CommDimension::dp || d == CommDimension::edp || d == CommDimension::embedding;
  if (!of_parameters) return e.activation;
  return c == Collective::all_gather ? e.gathered_weight : e.reduced_gradient;
}

// Less is a unit forgotten.
constexpr BytesPerSecond kSlowestCodec{1e6};

BytesPerSecond read_rate(const Reader& r) {
  if (r.json().is_string() && r.text() == kUnlimited) return {};
  const auto rate = r.quantity<kBytes - kSeconds>();
  if (rate < kSlowestCodec) r.fail("1 MB/s or more, or unlimited");
  return rate;
}

void read_throughput(Reader& codec, Codec& c) {
  if (const auto both = codec.find("throughput")) {
    for (const char* one : {"compress", "decompress"}) {
      if (codec.has(one)) codec.at(one).fail("throughput, or compress and decompress");
    }
    c.compress = c.decompress = read_rate(*both);
    return;
  }
  if (!codec.has("compress") && !codec.has("decompress")) codec.at("throughput");
  c.compress = read_rate(codec.at("compress"));
  c.decompress = read_rate(codec.at("decompress"));
}

void read_ratio(Reader& codec, double element, Codec& c) {
  const auto bits = codec.find("bits");
  if (!bits) {
    c.ratio = codec.at("ratio").number(1, kLargestRatio);
    return;
  }
  if (codec.has("ratio")) codec.at("ratio").fail("ratio or bits");
  if (c.lossless) bits->fail("ratio where the codec is lossless");
  c.ratio = 8 * element / bits->number(1, 8 * element);
}

Codec read_codec(Reader codec, double element) {
  codec.allow("source");
  Codec c;
  if (const auto v = codec.find("lossless")) c.lossless = v->boolean();
  read_ratio(codec, element, c);
  read_throughput(codec, c);
  if (const auto v = codec.find("call")) c.call = v->quantity<kSeconds>(true);
  if (const auto v = codec.find("recompress")) c.recompresses = v->boolean();
  codec.reject_unknown();
  return is_on(c) ? c : Codec{};
}

bool is_codec(Reader& r) { return r.has("ratio") || r.has("bits"); }

void read_dimension(Reader r, CommDimension d, const WireElements& elements, Compression& out) {
  r.must_be_object();
  const bool of_all = is_codec(r);
  for (const Collective c : kAllOf<Collective>) {
    const double element = element_of(d, c, elements);
    if (of_all) {
      out.of(d, c) = read_codec(r, element);
    } else if (const auto own = r.find(std::string(name_of(c)))) {
      out.of(d, c) = read_codec(*own, element);
    }
  }
  if (!of_all) r.reject_unknown();
}

Json rate_json(BytesPerSecond rate) {
  if (rate.si() == 0) return kUnlimited;
  return exact(rate);
}

Json codec_json(const Codec& c) {
  return {{"ratio", c.ratio},
          {"compress", rate_json(c.compress)},
          {"decompress", rate_json(c.decompress)},
          {"call", exact(c.call)},
          {"recompress", c.recompresses},
          {"lossless", c.lossless}};
}

}  // namespace

CompressionProfile read_compression(Reader document, const WireElements& elements) {
  document.must_be_object();
  CompressionProfile p;
  if (const auto name = document.find("name")) p.name = name->text();
  document.allow("notes");
  check_sources(document);
  for (const CommDimension d : kAllOf<CommDimension>) {
    std::optional<Reader> own = document.find(std::string(name_of(d)));
    // A dimension without a codec of its own takes that of its kind.
    if (!own && d == CommDimension::etp) own = document.find("tp");
    if (!own && d == CommDimension::edp) own = document.find("dp");
    if (own) read_dimension(*own, d, elements, p.compression);
  }
  document.reject_unknown();
  return p;
}

Json compression_json(const CompressionProfile& p) {
  Json j = Json::object();
  if (!p.name.empty()) j["name"] = p.name;
  for (const CommDimension d : kAllOf<CommDimension>) {
    const auto& codecs = p.compression.codecs[d];
    Json own = Json::object();
    for (const Collective c : kAllOf<Collective>) {
      if (is_on(codecs[c])) own[std::string(name_of(c))] = codec_json(codecs[c]);
    }
    const bool alike = std::all_of(codecs.begin(), codecs.end(),
                                   [&](const Codec& c) { return c == codecs[Collective{}]; });
    // Said even so, where another dimension's would be taken.
    const bool stated = d == CommDimension::etp || d == CommDimension::edp;
    if (own.empty() && (!stated || !compresses(p.compression))) continue;
    j[std::string(name_of(d))] = alike && !own.empty() ? codec_json(codecs[Collective{}]) : own;
  }
  return j;
}

}  // namespace orrery
