// SPDX-License-Identifier: Apache-2.0
//
// LZMA (LZMA1 without a header, lc 3, lp 0, pb 0), as `xz --format=raw` writes it and the LZMA
// specification of 7-Zip describes it: a quarter less to load than what a browser unpacks by itself.
// `size`: bytes of the result.

const STATES = 12, HALF = 1024, TOP = 2 ** 24;

// Places of the probabilities of each kind in one table.
let next = 0;
const take = (count: number): number => (next += count) - count;
const MATCH = take(STATES), REP = take(STATES), REP0 = take(STATES), REP1 = take(STATES), REP2 = take(STATES);
const REP0_LONG = take(STATES), SLOT = take(4 * 64), DISTANCE = take(128), ALIGN = take(16);
const LENGTH = take(2 + 8 + 8 + 256), REP_LENGTH = take(2 + 8 + 8 + 256), LITERAL = take(0x300 * 8);
const PROBABILITIES = next;

export function unpack(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size), p = new Uint16Array(PROBABILITIES).fill(HALF);
  // The range and the code: in an array they are plain words and no numbers on the heap.
  const r = Uint32Array.of(0xFFFFFFFF, 0);
  let from = 1; // the first byte is 0
  for (let i = 0; i < 4; i++) r[1] = (r[1] << 8) | packed[from++];

  const bit = (at: number): number => {
    const chance = p[at], bound = (r[0] >>> 11) * chance, found = r[1] < bound ? 0 : 1;
    if (found) {
      r[0] -= bound;
      r[1] -= bound;
      p[at] = chance - (chance >> 5);
    } else {
      r[0] = bound;
      p[at] = chance + ((2048 - chance) >> 5);
    }
    if (r[0] < TOP) {
      r[0] <<= 8;
      r[1] = (r[1] << 8) | packed[from++];
    }
    return found;
  };
  const tree = (at: number, bits: number): number => {
    let m = 1;
    for (let i = 0; i < bits; i++) m = (m << 1) | bit(at + m);
    return m - (1 << bits);
  };
  const reversed = (at: number, bits: number): number => {
    let m = 1, value = 0;
    for (let i = 0; i < bits; i++) {
      const b = bit(at + m);
      m = (m << 1) | b;
      value |= b << i;
    }
    return value;
  };
  const direct = (bits: number): number => {
    let value = 0;
    for (let i = 0; i < bits; i++) {
      r[0] >>>= 1;
      const b = r[1] >= r[0] ? 1 : 0;
      if (b) r[1] -= r[0];
      value = value * 2 + b;
      if (r[0] < TOP) {
        r[0] <<= 8;
        r[1] = (r[1] << 8) | packed[from++];
      }
    }
    return value;
  };
  const length = (at: number): number => {
    if (!bit(at)) return 2 + tree(at + 2, 3);
    if (!bit(at + 1)) return 10 + tree(at + 10, 3);
    return 18 + tree(at + 18, 8);
  };
  const distance = (len: number): number => {
    const slot = tree(SLOT + Math.min(len - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1, base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + reversed(DISTANCE + base - slot, bits);
    return base + direct(bits - 4) * 16 + reversed(ALIGN, 4);
  };

  let state = 0, at = 0, d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  while (at < size) {
    if (!bit(MATCH + state)) {
      const literal = LITERAL + 0x300 * ((at > 0 ? out[at - 1] : 0) >> 5);
      let m = 1;
      if (state >= 7) {
        let match = out[at - d0 - 1];
        while (m < 0x100) {
          const matched = (match >> 7) & 1, b = bit(literal + ((1 + matched) << 8) + m);
          match <<= 1;
          m = (m << 1) | b;
          if (matched !== b) break;
        }
      }
      while (m < 0x100) m = (m << 1) | bit(literal + m);
      out[at++] = m & 0xFF;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let len = 1;
    if (!bit(REP + state)) {
      d3 = d2; d2 = d1; d1 = d0;
      len = length(LENGTH);
      d0 = distance(len);
      state = state < 7 ? 7 : 10;
      if (d0 === 0xFFFFFFFF) break; // the mark of the end
    } else if (!bit(REP0 + state)) {
      const long = bit(REP0_LONG + state);
      if (long) len = length(REP_LENGTH);
      state = state < 7 ? 9 - long : 11;
    } else {
      const first = d0;
      if (!bit(REP1 + state)) { d0 = d1; } else if (!bit(REP2 + state)) { d0 = d2; d2 = d1; } else { d0 = d3; d3 = d2; d2 = d1; }
      d1 = first;
      len = length(REP_LENGTH);
      state = state < 7 ? 8 : 11;
    }
    if (d0 >= at) throw new Error('damaged');
    for (; len > 0 && at < size; len--, at++) out[at] = out[at - d0 - 1];
  }
  return out;
}
