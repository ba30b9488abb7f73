// SPDX-License-Identifier: Apache-2.0
//
// Engines in workers. `main` answers what the screen shows; work that lasts gets a worker of its own,
// whose end is also how it is stopped.
import type { Answer } from './wasm';

export type { Answer };
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Doc = { [key: string]: Json };

interface Waiting {
  resolve(answer: Answer): void;
  progress?: (done: number, total: number) => void;
}

export class Engine {
  private worker: Worker;
  private waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(private readonly module: WebAssembly.Module, private readonly script: string) {
    this.worker = this.start();
  }

  private start(): Worker {
    const worker = new Worker(this.script);
    worker.onmessage = event => this.hear(event.data);
    worker.postMessage(this.module);
    return worker;
  }

  private hear(message: { id: number; answer?: Answer; done?: number; total?: number; broken?: boolean }): void {
    const waiting = this.waiting.get(message.id);
    if (message.broken) {
      this.worker.terminate();
      this.worker = this.start();
    }
    if (!waiting) return;
    if (message.answer) {
      this.waiting.delete(message.id);
      waiting.resolve(message.answer);
    } else {
      waiting.progress?.(message.done ?? 0, message.total ?? 0);
    }
  }

  call(command: string, request: Doc, progress?: Waiting['progress']): Promise<Answer> {
    const id = ++this.last;
    return new Promise(resolve => {
      this.waiting.set(id, { resolve, progress });
      this.worker.postMessage({ id, command, request: JSON.stringify(request) });
    });
  }

  // Another engine on the same module: loads in milliseconds.
  another(): Engine {
    return new Engine(this.module, this.script);
  }

  // Calls that are not answered yet are answered as stopped.
  stop(): void {
    this.worker.terminate();
    for (const { resolve } of this.waiting.values()) {
      resolve({ code: 130, text: '', error: 'stopped', warnings: [], files: {} });
    }
    this.waiting.clear();
  }
}

// More than `most` bytes are refused while they are unpacked.
export async function inflate(text: string, most = Infinity): Promise<Uint8Array> {
  const packed = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
    if (size > most) throw new Error('too long');
  }
  return new Uint8Array(await new Blob(parts as unknown as BlobPart[]).arrayBuffer());
}

// Both stand in the page as data blocks, which no browser runs by itself.
export async function startEngine(): Promise<Engine> {
  const block = (id: string) => (document.getElementById(id) as HTMLElement).textContent ?? '';
  const bytes = await inflate(block('engine').trim());
  const module = await WebAssembly.compile(bytes as unknown as BufferSource);
  const script = URL.createObjectURL(new Blob([block('worker')], { type: 'text/javascript' }));
  return new Engine(module, script);
}
