// SPDX-License-Identifier: Apache-2.0
//
// The engine's module and its C interface (include/orrery/orrery.h). Needs no Emscripten beside it:
// the module imports a handful of functions of WASI, which have no system below them here, and
// page.progress.

export interface Answer {
  code: number;
  text: string;
  error: string;
  warnings: string[];
  files: Record<string, string>;
  wrong?: { code: string; file: string; path: string; found: string; allowed: string; nearest: string };
}

type Functions = Record<string, (...args: number[]) => number>;

export class WasmEngine {
  private readonly f: Functions;
  private readonly memory: WebAssembly.Memory;
  private readonly engine: number;
  private readonly decoder = new TextDecoder();
  private readonly encoder = new TextEncoder();

  constructor(module: WebAssembly.Module, progress: (done: number, total: number) => number) {
    const imports: Record<string, Record<string, unknown>> = {};
    for (const { module: space, name } of WebAssembly.Module.imports(module)) {
      (imports[space] ??= {})[name] = space === 'page' ? progress : this.systemCall(name);
    }
    const instance = new WebAssembly.Instance(module, imports as WebAssembly.Imports);
    this.f = instance.exports as unknown as Functions;
    this.memory = instance.exports.memory as WebAssembly.Memory;
    this.f._initialize?.();
    this.engine = this.f.page_engine();
  }

  // A part of a search that other workers share: the answer is empty, and the bytes go to the leader.
  share(command: string, request: string, part: number, of: number): { answer: Answer; handed: Uint8Array } {
    this.f.page_share(this.engine, part, of);
    const answer = this.call(command, request), at = this.f.malloc(4), from = this.f.page_handed(at);
    const size = new DataView(this.memory.buffer).getUint32(at, true);
    this.f.free(at);
    this.f.page_alone(this.engine);
    return { answer, handed: new Uint8Array(this.memory.buffer).slice(from, from + size) };
  }

  // Answers a search from what all parts of it handed over.
  lead(command: string, request: string, handed: Uint8Array[]): Answer {
    for (const bytes of handed) {
      const at = this.f.malloc(bytes.length);
      new Uint8Array(this.memory.buffer).set(bytes, at);
      this.f.page_take(at, bytes.length);
      this.f.free(at);
    }
    this.f.page_lead(this.engine);
    const answer = this.call(command, request);
    this.f.page_alone(this.engine);
    return answer;
  }

  call(command: string, request: string): Answer {
    const answer = this.asked(command, request);
    if (answer === 0) return { code: 1, text: '', error: 'out of memory', warnings: [], files: {} };
    const out: Answer = {
      code: this.f.orrery_code(answer),
      text: this.text(this.f.orrery_text(answer, 0)),
      error: this.text(this.f.orrery_error(answer)),
      warnings: this.each(this.f.orrery_warning_count(answer), i => this.text(this.f.orrery_warning(answer, i))),
      files: Object.fromEntries(this.each(this.f.orrery_file_count(answer), i =>
        [this.text(this.f.orrery_file_name(answer, i)), this.text(this.f.orrery_file_text(answer, i, 0))])),
    };
    if (out.code === 2) out.wrong = JSON.parse(this.text(this.f.orrery_line(answer))).wrong;
    this.f.orrery_answer_free(answer);
    return out;
  }

  // All of an answer as one line of JSON, as `orrery call` writes it.
  line(command: string, request: string): string {
    const answer = this.asked(command, request);
    const line = this.text(this.f.orrery_line(answer));
    this.f.orrery_answer_free(answer);
    return line;
  }

  private asked(command: string, request: string): number {
    const name = this.given(command), body = this.given(request);
    const answer = this.f.orrery_call(this.engine, name, body);
    this.f.free(name);
    this.f.free(body);
    return answer;
  }

  version(): string {
    return this.text(this.f.orrery_version());
  }

  // Output goes nowhere but counts as written; there is no environment.
  private systemCall(name: string): (...args: number[]) => number {
    const put = (at: number, value: number) => new DataView(this.memory.buffer).setUint32(at, value, true);
    switch (name) {
      case 'fd_write':
        return (_, pieces, count, written) => {
          const view = new DataView(this.memory.buffer);
          let size = 0;
          for (let i = 0; i < count; i++) size += view.getUint32(pieces + 8 * i + 4, true);
          put(written, size);
          return 0;
        };
      case 'environ_sizes_get':
        return (count, size) => (put(count, 0), put(size, 0), 0);
      case 'proc_exit':
      case 'abort':
        return () => { throw new Error('the engine stopped'); };
      default:
        return () => 0;
    }
  }

  private each<T>(count: number, item: (i: number) => T): T[] {
    return Array.from({ length: count }, (_, i) => item(i));
  }

  private given(text: string): number {
    const bytes = this.encoder.encode(text);
    const at = this.f.malloc(bytes.length + 1);
    const memory = new Uint8Array(this.memory.buffer);
    memory.set(bytes, at);
    memory[at + bytes.length] = 0;
    return at;
  }

  private text(at: number): string {
    const memory = new Uint8Array(this.memory.buffer);
    return this.decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
  }
}
