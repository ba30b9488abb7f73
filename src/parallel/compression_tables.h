// SPDX-License-Identifier: Apache-2.0
//
// The keys of a compression (core/described_keys.h; read in parallel/compression_json.h).
// Errors: none here.
#pragma once

#include "core/described_keys.h"
#include "hardware/dimensions.h"
#include "network/collective.h"
#include "parallel/comm_dimension.h"

namespace orrery {
namespace compression_tables {

inline constexpr std::array<std::string_view, 1> kUnlimited = {"unlimited"};
inline constexpr Forms kCodecRate = either(form::quantity(kRate), form::one_of(kUnlimited));
inline constexpr std::array kCodecRows = {
    kSourceKey,
    described("ratio", form::number(1, 10000, "factor"), kNothing, "bytes before over after"),
    described("bits", form::number(1, 64, "bits"), kNothing, "of a value, in place of a ratio"),
    described("lossless", form::boolean(), otherwise("false"), "whether values come back as sent"),
    described("throughput", kCodecRate, kNothing, "of both ways, in bytes before compression"),
    described("compress", kCodecRate, kNothing, "of one way, in place of throughput"),
    described("decompress", kCodecRate, kNothing, "of the other"),
    described("call", form::quantity(kSeconds, true), otherwise("0 s"), "of each launch"),
    described("recompress", form::boolean(), otherwise("true"),
              "whether a reduction unpacks and packs at every hop")};
inline constexpr KeyTable kCodecKeys{"", kCodecRows};
inline constexpr Form kCodec = form::object(kCodecKeys, "codec");

constexpr Key traffic(CommDimension d, std::string_view meaning) {
  return described(name_of(d), either(kCodec, form::map(kCodec, kNamesOf<Collective>)), kNothing,
                   meaning);
}

inline constexpr std::array kCompressionRows = {
    kNameKey,
    kSourceKey,
    kSourcesKey,
    described("notes", form::any("texts"), kNothing, "for people"),
    traffic(CommDimension::tp, "the codec of tensor parallelism, or of each collective in it"),
    traffic(CommDimension::cp, "of context parallelism"),
    traffic(CommDimension::ep, "of tokens sent to experts"),
    traffic(CommDimension::etp, "of experts' tensor parallelism; else tp's"),
    traffic(CommDimension::pp, "of what stages send each other"),
    traffic(CommDimension::embedding, "of tied embeddings"),
    traffic(CommDimension::dp, "of gradients and weights over replicas"),
    traffic(CommDimension::edp, "of experts' gradients and weights; else dp's")};
inline constexpr KeyTable kCompressionKeys{"", kCompressionRows};

}  // namespace compression_tables
}  // namespace orrery
