// SPDX-License-Identifier: Apache-2.0
//
// The engine's module out of its packed form, by web/unpack.cpp.

// As the page holds it; `size`: bytes of the module.
export interface Packed { packed: Uint8Array; size: number; unpacker: Uint8Array }

const PIECE = 1 << 17;

export function unpack({ packed, size, unpacker }: Packed): Uint8Array {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(unpacker as unknown as BufferSource));
  const f = exports as unknown as Record<'room' | 'begin' | 'unpack', (...args: number[]) => number>;
  const memory = exports.memory as WebAssembly.Memory;
  const from = f.room(packed.length), to = f.room(size);
  new Uint8Array(memory.buffer).set(packed, from);
  f.begin(from, to, size);
  for (let done = 0, before = -1; done < size; before = done, done = f.unpack(PIECE)) {
    if (done === before) throw new Error('the engine is damaged');
  }
  return new Uint8Array(memory.buffer, to, size);
}
