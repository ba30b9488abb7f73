// SPDX-License-Identifier: Apache-2.0
//
// A module of WebAssembly with the code of its functions parted into streams, which pack better: opcodes, locals,
// targets of calls, offsets by opcode, constants by the opcode that takes them. It is made by web/bundle.mjs and
// joined while it is unpacked; both walk the same instructions by moveBody(), from one side to the other. What it
// does not know (vectors, threads) moves wrongly, and the bundle finds that it does not come back.
//
// Records of four bytes of length, then the raw length of the functions (0: plain bytes follow), their number,
// the number of streams, name and length of each, and their bytes. Numbers are LEB128.

const CODE = 10;
const OPCODES = 0, LOCALS = 1, INDEX = 0x20, CONSTANTS = 256, STREAMS = 512;
const BLOCK = 1 << 20; // raw bytes of functions to a record: the browser compiles one while the next is unpacked

// `move` takes the next byte of a stream to the other side; `next` says which opcode follows a constant.
function moveBody(move: (stream: number) => number, next: () => number): void {
  const leb = (stream: number): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = move(stream);
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const times = (n: number, step: (stream: number) => number, stream: number): void => {
    for (let i = 0; i < n; i++) step(stream);
  };
  for (let groups = leb(LOCALS); groups > 0; groups--) times(2, leb, LOCALS);
  for (let depth = 1; depth > 0;) {
    const op = move(OPCODES);
    if (op === 0x0b || op === 0x18) depth--; // end, delegate
    if ((op >= 0x02 && op <= 0x04) || op === 0x06) { depth++; leb(OPCODES); } // block, loop, if, try
    else if (op >= 0x28 && op <= 0x3e) { leb(OPCODES); leb(op); } // loads and stores: alignment, offset
    else if (op >= 0x20 && op <= 0x22) leb(INDEX);
    else if (op === 0x41) leb(CONSTANTS + next());
    else if (op === 0x43) times(4, move, op);
    else if (op === 0x44) times(8, move, op);
    else if (op === 0x0e) times(leb(op) + 1, leb, op); // br_table
    else if (op === 0x11) times(2, leb, op); // call_indirect
    else if (op === 0x1c) times(leb(op), leb, op); // select of a type
    else if (op === 0xfc) {
      const sub = leb(op);
      if (sub > 7) times(sub < 15 && sub % 2 === 0 ? 2 : 1, leb, op); // memory.copy, table.fill, …
    } else if ((op >= 0x07 && op <= 0x09) || op === 0x0c || op === 0x0d || op === 0x10 || op === 0x18
      || (op >= 0x23 && op <= 0x26) || (op >= 0x3f && op <= 0x42) || op === 0xd0 || op === 0xd2) leb(op);
  }
}

function lebOf(value: number): number[] {
  const bytes = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  return [...bytes, value];
}

class Cursor {
  constructor(readonly data: Uint8Array, public at = 0) {}
  leb(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.data[this.at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
}

function record(parts: ArrayLike<number>[]): Uint8Array {
  const length = parts.reduce((sum, p) => sum + p.length, 0);
  const out = new Uint8Array(4 + length);
  new DataView(out.buffer).setUint32(0, length, true);
  let at = 4;
  for (const p of parts) { out.set(p, at); at += p.length; }
  return out;
}

// `count` functions from `from` on, to `end`.
function partedFunctions(module: Uint8Array, from: number, end: number, count: number): Uint8Array {
  const streams: number[][] = [];
  const c = new Cursor(module, from);
  const afterLeb = (): number => { let i = c.at; while (module[i] > 127) i++; return module[i + 1]; };
  const move = (s: number): number => { const byte = module[c.at++]; (streams[s] ??= []).push(byte); return byte; };
  for (let i = 0; i < count; i++) { c.leb(); moveBody(move, afterLeb); }
  const used = Object.keys(streams).map(Number);
  return record([lebOf(end - from), lebOf(count), lebOf(used.length),
    ...used.flatMap(s => [lebOf(s), lebOf(streams[s].length)]), ...used.map(s => streams[s])]);
}

export function parted(module: Uint8Array): Uint8Array[] {
  const out: Uint8Array[] = [];
  const c = new Cursor(module, 8);
  let plain = 0;
  while (c.at < module.length) {
    const id = module[c.at++], size = c.leb(), end = c.at + size;
    if (id === CODE) {
      let left = c.leb();
      out.push(record([[0], module.subarray(plain, c.at)]));
      while (left > 0) {
        const from = c.at;
        let count = 0;
        for (; left > 0 && c.at - from < BLOCK; left--, count++) { const body = c.leb(); c.at += body; }
        out.push(partedFunctions(module, from, c.at, count));
      }
      plain = end;
    }
    c.at = end;
  }
  return [...out, record([[0], module.subarray(plain)])];
}

function joinedRecord(data: Uint8Array): Uint8Array {
  const c = new Cursor(data);
  const raw = c.leb();
  if (raw === 0) return data.subarray(c.at);
  const count = c.leb(), used = c.leb();
  const starts = new Uint32Array(STREAMS);
  const lengths: [number, number][] = [];
  for (let i = 0; i < used; i++) lengths.push([c.leb(), c.leb()]);
  for (const [stream, length] of lengths) { starts[stream] = c.at; c.at += length; }
  const room = 5; // for the length of a function, which is known after it
  const out = new Uint8Array(raw + room);
  let at = 0;
  const move = (s: number): number => { const byte = data[starts[s]++]; out[at++] = byte; return byte; };
  const next = (): number => data[starts[OPCODES]];
  for (let i = 0; i < count; i++) {
    const begin = at;
    at += room;
    moveBody(move, next);
    const size = lebOf(at - begin - room);
    out.copyWithin(begin + size.length, begin + room, at);
    out.set(size, begin);
    at += size.length - room;
  }
  return out.subarray(0, raw);
}

// The module again, record by record.
export function joined(packed: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = packed.getReader();
  let held = new Uint8Array(0), filled = 0;
  // False at the end.
  const fill = async (wanted: number): Promise<boolean> => {
    while (filled < wanted) {
      const { value, done } = await reader.read();
      if (done) return false;
      if (filled + value.length > held.length) {
        const larger = new Uint8Array(Math.max(wanted, filled + value.length, 2 * held.length));
        larger.set(held.subarray(0, filled));
        held = larger;
      }
      held.set(value, filled);
      filled += value.length;
    }
    return true;
  };
  return new ReadableStream({
    async pull(controller) {
      if (!await fill(4)) { controller.close(); return; }
      const end = 4 + new DataView(held.buffer).getUint32(0, true);
      await fill(end);
      controller.enqueue(joinedRecord(held.slice(4, end)));
      held.copyWithin(0, end, filled);
      filled -= end;
    },
  });
}
