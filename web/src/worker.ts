// SPDX-License-Identifier: Apache-2.0
//
// One engine in a worker. The first message brings the module, compiled or packed, each further one a call, a
// part of a search, or the end of one.
import { XzReadableStream } from 'xz-decompress';
import { joined } from './parted';
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

// Compiled while it is unpacked.
function compiled(packed: Uint8Array): Promise<WebAssembly.Module> {
  const plain = joined(new XzReadableStream(new Blob([packed as unknown as BlobPart]).stream()));
  return WebAssembly.compileStreaming(new Response(plain, { headers: { 'content-type': 'application/wasm' } }));
}

async function start(given: WebAssembly.Module | Uint8Array): Promise<void> {
  try {
    const module = given instanceof WebAssembly.Module ? given : await compiled(given);
    engine = new WasmEngine(module, progress);
    here.postMessage({ module });
  } catch (e) {
    here.postMessage({ failed: (e as Error).message });
  }
}

function answer(asked: WasmEngine, { id, command, request, part, handed }: Call): void {
  current = id;
  try {
    if (part) here.postMessage({ id, ...asked.share(command, request, part[0], part[1]) });
    else here.postMessage({ id, answer: handed ? asked.lead(command, request, handed) : asked.call(command, request) });
  } catch (e) {
    const error = `the engine failed: ${(e as Error).message}`;
    here.postMessage({ id, answer: { code: 1, text: '', error, warnings: [], files: {} }, broken: true });
  }
}

let started: Promise<void> | undefined;
here.onmessage = ({ data }) => {
  if (started) void started.then(() => { if (engine) answer(engine, data as Call); });
  else started = start(data as WebAssembly.Module | Uint8Array);
};
