// SPDX-License-Identifier: Apache-2.0
//
// One engine in a worker. The first message brings the compiled module, each further one a call.
import { WasmEngine } from './wasm';

export interface Call { id: number; command: string; request: string }

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

here.onmessage = event => {
  if (!engine) {
    engine = new WasmEngine(event.data as WebAssembly.Module, progress);
    return;
  }
  const { id, command, request } = event.data as Call;
  current = id;
  try {
    here.postMessage({ id, answer: engine.call(command, request) });
  } catch (e) {
    const error = `the engine failed: ${(e as Error).message}`;
    here.postMessage({ id, answer: { code: 1, text: '', error, warnings: [], files: {} }, broken: true });
  }
};
