// SPDX-License-Identifier: Apache-2.0
//
// Engines in workers. `main` answers what the screen shows; work that lasts gets a worker of its own,
// whose end is also how it is stopped.
import type { Answer } from './wasm';
import type { Call } from './worker';

export type { Answer };
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Doc = { [key: string]: Json };

// Right answers: exit code 0, or 3 where nothing fits.
export const isRight = (a: Answer): boolean => a.code === 0 || a.code === 3;

type Progress = (done: number, total: number) => void;
interface Shared { answer: Answer; handed?: Uint8Array }
interface Waiting { resolve(shared: Shared): void; progress?: Progress }

// A lasting engine: one, or several that share a search.
export interface Lasting {
  call(command: string, request: Doc, progress?: Progress): Promise<Answer>;
  stop(): void;
}

export class Engine {
  private worker: Worker;
  private waiting = new Map<number, Waiting>();
  private last = 0;
  // Settles when the packed engine is compiled.
  readonly started: Promise<void>;
  private settle = { resolve: () => undefined as void, reject: (_: Error) => undefined as void };

  constructor(private source: WebAssembly.Module | Uint8Array, private readonly script: string) {
    this.started = new Promise((resolve, reject) => { this.settle = { resolve, reject }; });
    this.worker = this.start();
  }

  private start(): Worker {
    const worker = new Worker(this.script);
    worker.onmessage = event => this.hear(event.data);
    worker.postMessage(this.source);
    return worker;
  }

  private hear(message: { id: number; answer?: Answer; handed?: Uint8Array; done?: number; total?: number; broken?: boolean;
    module?: WebAssembly.Module; failed?: string }): void {
    if (message.failed !== undefined) return this.settle.reject(new Error(message.failed));
    if (message.module) {
      this.source = message.module;
      return this.settle.resolve();
    }
    const waiting = this.waiting.get(message.id);
    if (message.broken) {
      this.worker.terminate();
      this.worker = this.start();
    }
    if (!waiting) return;
    if (message.answer) {
      this.waiting.delete(message.id);
      waiting.resolve({ answer: message.answer, handed: message.handed });
    } else {
      waiting.progress?.(message.done ?? 0, message.total ?? 0);
    }
  }

  async call(command: string, request: Doc, progress?: Progress): Promise<Answer> {
    return (await this.ask({ command, request: JSON.stringify(request) }, progress)).answer;
  }

  ask(call: Omit<Call, 'id'>, progress?: Progress): Promise<Shared> {
    const id = ++this.last;
    return new Promise(resolve => {
      this.waiting.set(id, { resolve, progress });
      this.worker.postMessage({ id, ...call });
    });
  }

  // Another engine on the same module: loads in milliseconds.
  another(): Engine {
    return new Engine(this.source, this.script);
  }

  // Calls that are not answered yet are answered as stopped.
  stop(): void {
    this.worker.terminate();
    for (const { resolve } of this.waiting.values()) {
      resolve({ answer: { code: 130, text: '', error: 'stopped', warnings: [], files: {} } });
    }
    this.waiting.clear();
  }
}

// A search by several engines: each takes every n-th piece of the space and hears nothing of the
// others; the first one puts together what they found. The answer is that of one engine.
export class Team implements Lasting {
  private readonly engines: Engine[];

  constructor(engine: Engine, size: number) {
    this.engines = Array.from({ length: size }, () => engine.another());
  }

  async call(command: string, asked: Doc, progress?: Progress): Promise<Answer> {
    const request = JSON.stringify(asked), n = this.engines.length;
    if (n < 2) return this.engines[0].call(command, asked, progress);
    const done = this.engines.map(() => 0);
    const shares = await Promise.all(this.engines.map((engine, i) => engine.ask({ command, request, part: [i, n] }, (d, total) => {
      done[i] = d;
      progress?.(done.reduce((a, b) => a + b), total);
    })));
    const wrong = shares.find(s => s.answer.code !== 0 || !s.handed?.length);
    if (wrong) return wrong.answer;
    return (await this.engines[0].ask({ command, request, handed: shares.map(s => s.handed as Uint8Array) })).answer;
  }

  stop(): void {
    for (const engine of this.engines) engine.stop();
  }
}

// One engine a processor, at most 8: a phone has not the memory for more.
export const teamSize = (): number => Math.max(1, Math.min(8, navigator.hardwareConcurrency || 2));

// The bytes of a base64 text.
function bytesOf(text: string): Uint8Array {
  const plain = atob(text.trim()), bytes = new Uint8Array(plain.length);
  for (let i = 0; i < plain.length; i++) bytes[i] = plain.charCodeAt(i);
  return bytes;
}

// Deflated, in base64. More than `most` bytes are refused while they are unpacked.
export async function inflate(text: string, most = Infinity): Promise<Uint8Array> {
  const reader = new Blob([bytesOf(text) as unknown as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
    if (size > most) throw new Error('too long');
  }
  return new Uint8Array(await new Blob(parts as unknown as BlobPart[]).arrayBuffer());
}

// Compiled while it loads, and kept compiled by the browser; not every host says what a .wasm file is.
async function loaded(file: string): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compileStreaming(fetch(file));
  } catch {
    return WebAssembly.compile(await (await fetch(file)).arrayBuffer());
  }
}

// The page as one file holds all parts as data blocks, which no browser runs by itself. A folder for
// a host has the engine as a file of its own.
export async function startEngine(): Promise<Engine> {
  const block = (id: string) => document.getElementById(id) as HTMLElement, text = (id: string) => block(id).textContent ?? '';
  const script = URL.createObjectURL(new Blob([text('worker')], { type: 'text/javascript' }));
  const { file } = block('engine').dataset;
  return new Engine(file ? await loaded(file) : bytesOf(text('engine')), script);
}
