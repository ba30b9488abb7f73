// SPDX-License-Identifier: Apache-2.0
//
// A module of WebAssembly with the code of its functions parted into streams, which pack better: opcodes, locals,
// targets of calls, offsets by opcode, constants by the opcode that takes them. It is made by web/bundle.mjs and
// joined while it is unpacked; both walk the same instructions by mover(), from one side to the other.
// Other instructions (vectors, threads) move wrongly, and the bundle finds that they do not come back.
//
// Records of four bytes of length, then the raw length of the functions (0: plain bytes follow), their number,
// the number of streams, name and length of each, and their bytes. Numbers are LEB128.

const CODE = 10;
const OPCODES = 0, LOCALS = 1, INDEX = 0x20, CONSTANTS = 256, STREAMS = 512;
const BLOCK = 1 << 20; // raw bytes of functions to a record: the browser compiles one while the next is unpacked

// The operands that follow an opcode.
const NOTHING = 0, START = 1, END = 2, MEMORY = 3, LOCAL = 4, CONSTANT = 5, ONE = 6, OTHER = 7;
const kinds = new Uint8Array(256);
kinds.fill(START, 0x02, 0x05).fill(START, 0x06, 0x07); // block, loop, if, try
kinds.fill(ONE, 0x07, 0x0a).fill(ONE, 0x0c, 0x0e).fill(ONE, 0x10, 0x11); // catch, throw, rethrow, branches, call
kinds.fill(LOCAL, 0x20, 0x23).fill(ONE, 0x23, 0x27).fill(MEMORY, 0x28, 0x3f).fill(ONE, 0x3f, 0x43);
kinds.fill(ONE, 0xd0, 0xd1).fill(ONE, 0xd2, 0xd3); // references
kinds[0x0b] = END;
kinds[0x41] = CONSTANT;
for (const op of [0x0e, 0x11, 0x18, 0x1c, 0x43, 0x44, 0xfc]) kinds[op] = OTHER;

// A function that moves one body: `move` takes the next byte of a stream to the other side, `next` says which opcode
// follows a constant.
function mover(move: (stream: number) => number, next: () => number): () => void {
  const leb = (stream: number): number => {
    let byte = move(stream);
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = move(stream);
      value |= (byte & 127) << shift;
    }
    return value;
  };
  const lebs = (n: number, stream: number): void => { for (let i = 0; i < n; i++) leb(stream); };
  const bytes = (n: number, stream: number): void => { for (let i = 0; i < n; i++) move(stream); };
  // How many blocks it closes.
  const other = (op: number): number => {
    if (op === 0x43) bytes(4, op);
    else if (op === 0x44) bytes(8, op);
    else if (op === 0x0e) lebs(leb(op) + 1, op); // br_table
    else if (op === 0x11) lebs(2, op); // call_indirect
    else if (op === 0x1c) lebs(leb(op), op); // select of a type
    else if (op === 0x18) { leb(op); return 1; } // delegate
    else {
      const sub = leb(op);
      if (sub > 7) lebs(sub < 15 && sub % 2 === 0 ? 2 : 1, op); // memory.copy, table.fill, …
    }
    return 0;
  };
  return () => {
    for (let groups = leb(LOCALS); groups > 0; groups--) lebs(2, LOCALS);
    for (let depth = 1; depth > 0;) {
      const op = move(OPCODES);
      switch (kinds[op]) {
        case START: depth++; leb(OPCODES); break;
        case END: depth--; break;
        case MEMORY: leb(OPCODES); leb(op); break; // alignment, offset
        case LOCAL: leb(INDEX); break;
        case CONSTANT: leb(CONSTANTS + next()); break;
        case ONE: leb(op); break;
        case OTHER: depth -= other(op); break;
        case NOTHING: break;
      }
    }
  };
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
  const moveBody = mover(move, afterLeb);
  for (let i = 0; i < count; i++) { c.leb(); moveBody(); }
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
  const moveBody = mover(move, () => data[starts[OPCODES]]);
  for (let i = 0; i < count; i++) {
    const begin = at;
    at += room;
    moveBody();
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
