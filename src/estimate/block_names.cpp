// SPDX-License-Identifier: Apache-2.0
#include "estimate/block_names.h"

#include <array>

#include "core/enum_names.h"
#include "model/architecture.h"

namespace orrery {
namespace {

constexpr std::array<BlockNames, kMaxLayerTypes> kNamesOfKind = {
    BlockNames{"forward of the pattern's first kind of layer",
               "backward of the pattern's first kind of layer",
               "layers of the first kind of the chunk", "parameters of a layer of the first kind"},
    BlockNames{"forward of its second kind", "backward of its second kind",
               "layers of the second kind of the chunk",
               "parameters of a layer of the second kind"},
    BlockNames{"forward of its third kind", "backward of its third kind",
               "layers of the third kind of the chunk", "parameters of a layer of the third kind"},
    BlockNames{"forward of its fourth kind", "backward of its fourth kind",
               "layers of the fourth kind of the chunk",
               "parameters of a layer of the fourth kind"},
    BlockNames{"forward of its fifth kind", "backward of its fifth kind",
               "layers of the fifth kind of the chunk", "parameters of a layer of the fifth kind"},
    BlockNames{"forward of its sixth kind", "backward of its sixth kind",
               "layers of the sixth kind of the chunk", "parameters of a layer of the sixth kind"},
    BlockNames{"forward of its seventh kind", "backward of its seventh kind",
               "layers of the seventh kind of the chunk",
               "parameters of a layer of the seventh kind"},
    BlockNames{"forward of its eighth kind", "backward of its eighth kind",
               "layers of the eighth kind of the chunk",
               "parameters of a layer of the eighth kind"}};

constexpr EnumArray<BlockType, BlockNames> kNames = {
    BlockNames{"forward of a dense layer", "backward of a dense layer", "dense layers of the chunk",
               "parameters of a dense layer"},
    BlockNames{"forward of a local dense layer", "backward of a local dense layer",
               "local dense layers of the chunk", "parameters of a local dense layer"},
    BlockNames{"forward of an MoE layer", "backward of an MoE layer", "MoE layers of the chunk",
               "parameters of an MoE layer"},
    BlockNames{"forward of a local MoE layer", "backward of a local MoE layer",
               "local MoE layers of the chunk", "parameters of a local MoE layer"},
    kNamesOfKind[4],
    kNamesOfKind[5],
    kNamesOfKind[6],
    kNamesOfKind[7],
    BlockNames{"forward of the embedding", "backward of the embedding", "embeddings of the chunk",
               "parameters of the embedding"},
    BlockNames{"forward of head and loss", "backward of head and loss", "heads of the chunk",
               "parameters of the head"},
    BlockNames{"forward of multi-token prediction", "backward of multi-token prediction",
               "multi-token prediction modules of the chunk",
               "parameters of a multi-token prediction module"},
    BlockNames{"forward of a layer of the image encoder",
               "backward of a layer of the image encoder", "layers of the image encoder",
               "parameters of a layer of the image encoder"},
    BlockNames{"forward of the image encoder's ends", "backward of the image encoder's ends",
               "ends of the image encoder", "parameters of the image encoder's ends"}};

}  // namespace

const BlockNames& names_of_block(const Architecture& a, BlockType type) {
  const auto kind = static_cast<std::size_t>(type);
  return kind < kMaxLayerTypes && a.pattern.length > 0 ? kNamesOfKind[kind] : kNames[type];
}

}  // namespace orrery
