// SPDX-License-Identifier: Apache-2.0
//
// One engine in a worker. The first message brings the module, compiled or packed, each further one a call, a
// part of a search, or the end of one.
import { unpack } from './unpack';
import type { Packed } from './unpack';
import { WasmEngine } from './wasm';

export interface Call { id: number; command: string; request: string; part?: [number, number]; handed?: Uint8Array[] }

const here = self as unknown as {
  onmessage: (event: MessageEvent) => void;
  postMessage(message: unknown): void;
};
let engine: WasmEngine | undefined;
let current = 0;
let told = 0;

function progress(done: number, total: number): number {
  const now = performance.now();
  if (now - told > 50) {
    told = now;
    here.postMessage({ id: current, done, total });
  }
  return 0;
}

function start(given: WebAssembly.Module | Packed): void {
  try {
    const module = given instanceof WebAssembly.Module ? given : new WebAssembly.Module(unpack(given) as unknown as BufferSource);
    engine = new WasmEngine(module, progress);
    here.postMessage({ module });
  } catch (e) {
    here.postMessage({ failed: (e as Error).message });
  }
}

here.onmessage = event => {
  if (!engine) {
    start(event.data as WebAssembly.Module | Packed);
    return;
  }
  const { id, command, request, part, handed } = event.data as Call;
  current = id;
  try {
    if (part) here.postMessage({ id, ...engine.share(command, request, part[0], part[1]) });
    else here.postMessage({ id, answer: handed ? engine.lead(command, request, handed) : engine.call(command, request) });
  } catch (e) {
    const error = `the engine failed: ${(e as Error).message}`;
    here.postMessage({ id, answer: { code: 1, text: '', error, warnings: [], files: {} }, broken: true });
  }
};
