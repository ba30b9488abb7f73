// SPDX-License-Identifier: Apache-2.0
//
// `orrery call` by the WebAssembly engine: node tests/golden/answer_lines.mjs BUILD < calls.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const build = resolve(process.argv[2]);
const { WasmEngine } = await import(pathToFileURL(`${build}/loader.mjs`).href);
const engine = new WasmEngine(new WebAssembly.Module(readFileSync(`${build}/wasm/orrery.wasm`)), () => 0);
for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const { id, command, request } = JSON.parse(line);
  const answer = engine.line(command, JSON.stringify(request));
  process.stdout.write(`{"id":${id},${answer.slice(1)}\n`);
}
