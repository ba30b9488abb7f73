// SPDX-License-Identifier: Apache-2.0
//
// LZMA as WebAssembly, for the engine of the page: LZMA1 without a header, lc 3, lp 0, pb 0, as
// `xz --format=raw` writes it and the LZMA specification of 7-Zip describes it. It packs a quarter
// better than what a browser unpacks by itself. web/src/unpack.ts calls it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace {

constexpr uint32_t kStates = 12;
constexpr uint32_t kTop = 1U << 24U;
constexpr uint16_t kHalf = 1024;  // a probability has 11 bits
constexpr size_t kPage = 65536;

using Chance = uint16_t;

// A chance for each inner node of a binary tree; node 0 is not used.
template <size_t Bits>
using BitTree = std::array<Chance, size_t{1} << Bits>;

struct LengthChances {
  Chance beyond_low, beyond_middle;
  BitTree<3> low, middle;
  BitTree<8> high;
};

struct Chances {
  std::array<Chance, kStates> match, repeat, repeat0, repeat0_long, repeat1, repeat2;
  std::array<BitTree<6>, 4> slot;
  std::array<Chance, 128> distance;
  BitTree<4> align;
  LengthChances length, repeat_length;
  std::array<std::array<Chance, 0x300>, 8> literal;
};

// Nothing here may be copied to memory between two bits, so that everything below is inlined.
#define ORRERY_INLINE [[gnu::always_inline]] inline

struct BitReader {
  const uint8_t* from;
  uint32_t range = 0xFFFFFFFF;
  uint32_t code = 0;

  ORRERY_INLINE void refill() {
    if (range >= kTop) return;
    range <<= 8U;
    code = (code << 8U) | *from++;
  }

  ORRERY_INLINE uint32_t bit(Chance& chance) {
    const uint32_t bound = (range >> 11U) * chance;
    const bool one = code >= bound;
    code -= one ? bound : 0;
    range = one ? range - bound : bound;
    chance = static_cast<Chance>(one ? chance - (chance >> 5U) : chance + ((2048U - chance) >> 5U));
    refill();
    return one ? 1 : 0;
  }

  ORRERY_INLINE uint32_t tree(Chance* chances, uint32_t bits) {
    uint32_t node = 1;
    for (uint32_t i = 0; i < bits; i++) node = (node << 1U) | bit(chances[node]);
    return node - (1U << bits);
  }

  // The least bit first.
  ORRERY_INLINE uint32_t reversed_tree(Chance* chances, uint32_t bits) {
    uint32_t node = 1;
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; i++) {
      const uint32_t b = bit(chances[node]);
      node = (node << 1U) | b;
      value |= b << i;
    }
    return value;
  }

  ORRERY_INLINE uint32_t even_bits(uint32_t bits) {
    uint32_t value = 0;
    for (; bits > 0; bits--) {
      range >>= 1U;
      const bool one = code >= range;
      code -= one ? range : 0;
      value = (value << 1U) | (one ? 1U : 0U);
      refill();
    }
    return value;
  }

  ORRERY_INLINE uint32_t length(LengthChances& chances) {
    if (bit(chances.beyond_low) == 0) return 2 + tree(chances.low.data(), 3);
    if (bit(chances.beyond_middle) == 0) return 10 + tree(chances.middle.data(), 3);
    return 18 + tree(chances.high.data(), 8);
  }
};

struct Unpacking {
  BitReader reader;
  uint8_t* out;
  uint32_t size, at, state;
  std::array<uint32_t, 4> distances;  // of the last matches, less 1
};

Chances chances;
Unpacking saved;

ORRERY_INLINE uint32_t distance_of(BitReader& reader, uint32_t length) {
  const uint32_t slot = reader.tree(chances.slot[std::min(length - 2, 3U)].data(), 6);
  if (slot < 4) return slot;
  const uint32_t bits = (slot >> 1U) - 1;
  const uint32_t base = (2U | (slot & 1U)) << bits;
  if (slot < 14) return base + reader.reversed_tree(chances.distance.data() + base - slot, bits);
  const uint32_t high = reader.even_bits(bits - 4) << 4U;
  return base + high + reader.reversed_tree(chances.align.data(), 4);
}

ORRERY_INLINE void unpack_literal(Unpacking& u) {
  auto& literal = chances.literal[u.at > 0 ? u.out[u.at - 1] >> 5U : 0U];
  uint32_t node = 1;
  if (u.state >= 7) {  // after a match the byte differs from the one it would have brought
    uint32_t expected = u.out[u.at - u.distances[0] - 1];
    for (bool same = true; same && node < 0x100;) {
      const uint32_t guess = (expected >> 7U) & 1U;
      const uint32_t b = u.reader.bit(literal[((1 + guess) << 8U) + node]);
      expected <<= 1U;
      node = (node << 1U) | b;
      same = guess == b;
    }
  }
  while (node < 0x100) node = (node << 1U) | u.reader.bit(literal[node]);
  u.out[u.at++] = static_cast<uint8_t>(node);
  u.state = u.state < 4 ? 0 : u.state < 10 ? u.state - 3 : u.state - 6;
}

// Takes the distance of an earlier match to the front; returns the length.
ORRERY_INLINE uint32_t repeated(Unpacking& u) {
  auto& d = u.distances;
  uint32_t which = 0;
  if (u.reader.bit(chances.repeat0[u.state]) == 0) {
    if (u.reader.bit(chances.repeat0_long[u.state]) == 0) {
      u.state = u.state < 7 ? 9 : 11;
      return 1;
    }
  } else {
    which = u.reader.bit(chances.repeat1[u.state]) == 0
                ? 1
                : 2 + u.reader.bit(chances.repeat2[u.state]);
  }
  const uint32_t chosen = d[which];
  for (; which > 0; which--) d[which] = d[which - 1];
  d[0] = chosen;
  u.state = u.state < 7 ? 8 : 11;
  return u.reader.length(chances.repeat_length);
}

ORRERY_INLINE uint32_t matched(Unpacking& u) {
  const uint32_t length = u.reader.length(chances.length);
  auto& d = u.distances;
  d = {distance_of(u.reader, length), d[0], d[1], d[2]};
  u.state = u.state < 7 ? 7 : 10;
  return length;
}

}  // namespace

extern "C" {

// Room for that many bytes, which is never given back.
[[clang::export_name("room")]] uint8_t* room(size_t size) {
  const size_t from = __builtin_wasm_memory_grow(0, (size + kPage - 1) / kPage);
  return reinterpret_cast<uint8_t*>(from * kPage);
}

[[clang::export_name("begin")]] void begin(const uint8_t* packed, uint8_t* out, uint32_t size) {
  auto* const first = reinterpret_cast<Chance*>(&chances);
  for (size_t i = 0; i < sizeof chances / sizeof(Chance); i++) first[i] = kHalf;
  saved = {{packed + 1}, out, size, 0, 0, {}};  // the first byte is 0
  for (int i = 0; i < 4; i++) saved.reader.code = (saved.reader.code << 8U) | *saved.reader.from++;
}

// Unpacks a piece, so that the browser may take up better code between two; returns the bytes so
// far: all at the end. Damaged input ends with fewer.
[[clang::export_name("unpack")]] uint32_t unpack(uint32_t most) {
  Unpacking u = saved;
  for (const uint32_t end = std::min(u.size, u.at + most); u.at < end;) {
    if (u.reader.bit(chances.match[u.state]) == 0) {
      unpack_literal(u);
      continue;
    }
    const uint32_t length = u.reader.bit(chances.repeat[u.state]) != 0 ? repeated(u) : matched(u);
    if (u.distances[0] >= u.at) break;
    const uint32_t until = std::min(u.size, u.at + length);
    for (; u.at < until; u.at++) u.out[u.at] = u.out[u.at - u.distances[0] - 1];
  }
  saved = u;
  return u.at;
}

}  // extern "C"
