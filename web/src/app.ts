// SPDX-License-Identifier: Apache-2.0
//
// The state of the page and what changes it. The run file is the state that counts: the address, the
// form and every request to the engine are made from it.
import { ADDRESS_VERSION, toAddress } from './address';
import { Team, isRight, teamSize } from './engine';
import type { Answer, Doc, Engine, Json, Lasting } from './engine';
import { Tables } from './keys';
import type { Published } from './published';
import { at, changed, fromWords, isDoc, leaves } from './run';

export interface Pin { name: string; run: Doc; answer: Doc }
export type Tab = 'answer' | 'search' | 'limits' | 'capacity' | 'sweep' | 'timeline' | 'compare' | 'take';
export const TABS: [Tab, string][] = [['answer', 'Answer'], ['search', 'Search'], ['limits', 'Limits'], ['capacity', 'Capacity'],
  ['sweep', 'Sweep'], ['timeline', 'Timeline'], ['compare', 'Compare'], ['take', 'Take away']];

// Work that lasts, in an engine of its own.
export interface Work {
  asked?: string; // the last request
  engine?: Lasting;
  done: number;
  total: number;
  took?: number; // milliseconds
  answer?: Answer; // the last right one
  of?: string;     // the request that it answers
  wrong?: Answer;  // of the last request, where that is wrong
  stopped?: boolean; // by a person
}

export interface State {
  run: Doc;
  own: Doc;         // the keys of it that a person, a link or a pasted text gave; the rest is an example's
  asking: string[]; // keys that a pasted text leaves open: nothing is answered before they are set
  answer?: Doc;   // the last right one
  text: string;   // its bytes
  of?: Doc;       // the run that it answers
  wrong?: Answer; // of the run as it is
  last?: string;  // the key that was changed last
  legal: number[]; // values of it near a refused one that are answered
  cost?: Doc;     // the option of `capacity`
  node?: { name: string; document?: Doc }; // of the cluster, as it is shipped
  metric?: string;
  tree?: Doc;
  opened: Set<string>;
  tab: Tab;
  pins: Pin[];
  notes: string[]; // lines about what was opened or pasted
  pasted?: Doc;    // what `import` said
  diagnosis?: Answer; // of a pasted log or message
  gallery: boolean;
  filter: string;
  allKeys: boolean;
  fields: Record<string, string>; // what stands in the boxes of the tabs
  works: Partial<Record<Tab, Work>>;
  help: boolean;
  formOpen: boolean; // on a narrow screen, where the form is shut at first
  folds: Set<string>; // that stand open
  asked: boolean;  // the run was changed since the page was opened
  took: number;    // milliseconds of the last answer
}

// Open folds are remembered if the browser lets a page store it.
const FOLDS = 'orrery-folds';
function keptFolds(): Set<string> {
  try {
    return new Set((localStorage.getItem(FOLDS) ?? '').split('\n').filter(Boolean));
  } catch {
    return new Set();
  }
}
function keepFolds(folds: Set<string>): void {
  try {
    localStorage.setItem(FOLDS, [...folds].join('\n'));
  } catch { /* remembered until the page is closed */ }
}

// Prices of configs/prices where the run's owner has given none.
export const PRICES = 'market-2026';

// Tokens of a training whose run says no number; the page says so beside days and cost.
export const TOKENS = 1e12;

// Keys without which no run is answered.
const NEEDED = ['model', 'cluster.node', 'cluster.gpus', 'training.sequence_length', 'training.global_batch'];

export function openKeys(run: Doc, missing: string[] = []): string[] {
  const needed = isDoc(at(run, 'training.rl')) || isDoc(run.cluster) && Array.isArray(run.cluster.groups) ? [] : NEEDED;
  return [...new Set([...needed, ...missing])].filter(path => at(run, path) === undefined);
}

const MOST_TRIED = 16; // values on each side of a refused one
const PATIENCE = 80; // milliseconds until the old answer is dimmed
const PAUSE = 150;   // milliseconds without a change after which work follows it

export class App {
  readonly state: State;
  // `now`: the answer is there, and the screen need not wait for the next frame to be asked.
  onchange: (now?: boolean) => void = () => undefined;
  private busy = false;
  private again = false;
  private planned = 0;
  private followed = '';
  private following: ReturnType<typeof setTimeout> | undefined;
  published: Published[] = [];

  constructor(readonly engine: Engine, readonly tables: Tables, run: Doc) {
    this.state = {
      run, own: {}, asking: [], legal: [], text: '', opened: new Set(['/']), tab: 'answer', pins: [], notes: [], filter: '', gallery: false,
      allKeys: false, fields: {}, works: {}, help: false, formOpen: false, folds: keptFolds(), asked: false, took: 0,
    };
  }

  set(change: Partial<State>): void {
    Object.assign(this.state, change);
    this.onchange();
  }

  // `own`: what of the run was given, where that is not all of it; `asking`: keys to be set first.
  use(run: Doc, notes: string[] = [], own: Doc = run, asking: string[] = []): Promise<void> {
    Object.assign(this.state, { run, own, asking, notes, last: undefined, legal: [], pasted: undefined, gallery: false, asked: this.state.answer !== undefined });
    if (asking.length === 0) return this.ask();
    Object.assign(this.state, { wrong: undefined, metric: undefined, tree: undefined, tab: 'answer' });
    this.onchange();
    return Promise.resolve();
  }

  setKey(path: string, value: Json | undefined): Promise<void> {
    return this.setKeys([[path, value]]);
  }

  private setKeys(values: [string, Json | undefined][]): Promise<void> {
    const { run, own, asking, pasted } = this.state;
    const set = (doc: Doc) => values.reduce((d, [path, value]) => changed(d, path, value), doc);
    const whole = set(run), left = asking.filter(path => at(whole, path) === undefined);
    const done = this.use(whole, [], set(own), left);
    this.state.last = values.length === 1 ? values[0][0] : undefined;
    // The summary of a pasted text stays until the run is answered.
    if (left.length > 0) this.set({ pasted });
    return done;
  }

  // The fewest GPUs on which the run fits with any layout, and that layout.
  async takeFewest(): Promise<void> {
    await this.work('limits', 'limits', { run: changed(this.state.run, 'cluster.gpus', 8), of: ['gpus'] });
    const { answer, wrong } = this.state.works.limits ?? {};
    if (wrong || !answer) return void this.set({ notes: [wrong?.error ?? 'no number of GPUs was found'] });
    const found = ((JSON.parse(answer.text) as Doc).limits as Doc[]).filter(l => typeof l.value === 'number');
    const fewest = found.find(l => l.layout === 'any') ?? found[0];
    if (!fewest) return void this.set({ notes: ['no number of GPUs fits with these settings'] });
    await this.setKey('cluster.gpus', fewest.value as number);
    await this.take(fewest.set as Doc);
  }

  fold(name: string, open: boolean): void {
    const { folds } = this.state;
    if (folds.has(name) === open) return;
    if (open) folds.add(name);
    else folds.delete(name);
    keepFolds(folds);
    this.onchange();
  }

  // To the box that takes pasted text; a shut form is opened first.
  toPaste(): void {
    const box = document.getElementById('paste');
    if (box?.offsetParent) return box.focus();
    this.set({ formOpen: true });
    requestAnimationFrame(() => box?.focus());
  }

  setField(name: string, value: string): void {
    this.state.fields[name] = value;
    this.onchange();
  }

  // A strategy of the search's or a row of the advice: {path: words} or a document.
  take(set: Doc): Promise<void> {
    // A strategy of the search's is whole; of the training it says only what it chose.
    // dp follows from the rest, and would be in the way of the next change.
    const parts = Object.entries(set).flatMap(([path, value]): [string, Json][] =>
      (path === 'parallel' && isDoc(value) ? [[path, changed(value, 'dp', undefined)]] : leaves(value, path)));
    return this.setKeys(parts.map(([path, to]) => [path, typeof to === 'string' ? fromWords(to) : to]));
  }

  // The newest run is answered; runs passed over while the engine worked are not.
  async ask(): Promise<void> {
    this.again = true;
    if (this.busy) return;
    this.busy = true;
    // Drawing what waits would keep a quick answer from the screen.
    const late = setTimeout(() => this.onchange(), PATIENCE);
    while (this.again) {
      this.again = false;
      await this.answer(this.state.run);
    }
    clearTimeout(late);
    this.busy = false;
    void this.afterwards();
  }

  private async answer(run: Doc): Promise<void> {
    const started = performance.now();
    const a = await this.engine.call('estimate', { run });
    const took = performance.now() - started;
    if (isRight(a)) {
      const answer = JSON.parse(a.text) as Doc;
      Object.assign(this.state, { answer, text: a.text, of: run, wrong: undefined, took });
      const cost = this.state.cost;
      if (cost && !this.isSame(cost)) this.state.cost = undefined;
    } else {
      this.state.wrong = a;
    }
    this.onchange(true);
  }

  private isSame(cost: Doc): boolean {
    return cost.of === JSON.stringify(this.state.run);
  }

  // Parts that may come a moment later than the answer: the address, the tree, the cost.
  private async afterwards(): Promise<void> {
    const turn = ++this.planned;
    const { run, answer } = this.state;
    await new Promise(r => setTimeout(r, 120));
    if (turn !== this.planned || this.again) return;
    await this.writeAddress();
    if (this.state.wrong) return this.findLegal(turn);
    if (!answer) return;
    if (this.state.metric) await this.explain(this.state.metric, false);
    await this.readNode();
    await this.price(run);
  }

  // The nearest values of the last key, below and above, that are answered.
  private async findLegal(turn: number): Promise<void> {
    const { run, last } = this.state, found = last ? at(run, last) : undefined;
    if (!last || typeof found !== 'number' || !(found >= 1)) return;
    const legal: number[] = [];
    for (const step of [-1, 1]) {
      for (let k = 1, v = step < 0 ? Math.ceil(found) - 1 : Math.floor(found) + 1; k <= MOST_TRIED && v >= 1; k++, v += step) {
        const a = await this.engine.call('estimate', { run: changed(run, last, v) });
        if (turn !== this.planned || this.state.run !== run) return;
        if (isRight(a)) { legal.push(v); break; }
      }
    }
    this.set({ legal });
  }

  // The tiers of the network, for its drawing.
  private async readNode(): Promise<void> {
    const name = at(this.state.answer?.inputs, 'cluster.node');
    if (typeof name !== 'string' || this.state.node?.name === name) return;
    const a = await this.engine.call('show', { kind: 'node', name });
    this.set({ node: { name, document: a.code === 0 ? ((JSON.parse(a.text) as Doc).document as Doc) : undefined } });
  }

  private async writeAddress(): Promise<void> {
    const hash = await this.address();
    if (hash !== location.hash) history.replaceState(null, '', hash);
  }

  address(): Promise<string> {
    const { answer } = this.state;
    return toAddress({
      version: ADDRESS_VERSION, schema: Number(answer?.schema_version ?? 0), tool: String(answer?.tool_version ?? ''),
      run: this.state.run,
    });
  }

  private async price(run: Doc): Promise<void> {
    if (at(run, 'training.rl') && at(run, 'training.rl.steps') === undefined) return;
    const whole = at(run, 'training.rl') || at(run, 'training.tokens') ? run : changed(run, 'training.tokens', TOKENS);
    const a = await this.engine.call('capacity', { run: whole, prices: PRICES });
    const options = a.text ? (JSON.parse(a.text) as Doc).options : undefined;
    if (run !== this.state.run || !Array.isArray(options) || !isDoc(options[0])) return;
    this.set({ cost: { ...options[0], of: JSON.stringify(run) } });
  }

  async explain(metric: string, opening = true): Promise<void> {
    const { of: run } = this.state;
    if (!run) return;
    if (opening) this.state.opened = new Set(['/']);
    const a = await this.engine.call('explain', { run, metric });
    // Closed, or another number asked for, while this tree was brought up to date.
    if (!opening && this.state.metric !== metric) return;
    this.set({ metric, tree: a.code === 0 ? (JSON.parse(a.text) as Doc) : undefined });
    if (opening) requestAnimationFrame(() => document.querySelector('.why')?.scrollIntoView({ block: 'nearest' }));
  }

  pin(): void {
    // `of` is the run of the answer; `run` may be ahead of it while the engine works.
    const { pins, of: run, answer } = this.state;
    if (!answer || !run || this.state.wrong || pins.length >= 4) return;
    const name = `${'ABCD'.split('').find(c => !pins.some(p => p.name === c))}`;
    this.set({ pins: [...pins, { name, run, answer }].sort((a, b) => (a.name < b.name ? -1 : 1)) });
  }

  // Starts work in an engine of its own, or the same work anew.
  async work(tab: Tab, command: string, request: Doc): Promise<void> {
    this.state.works[tab]?.engine?.stop();
    // Placements of a step of reinforcement learning are no shards of a space.
    const shared = command === 'search' && !at(request.run as Doc, 'training.rl');
    const engine = shared ? new Team(this.engine, teamSize()) : this.engine.another();
    const { answer: before, of, took } = this.state.works[tab] ?? {};
    const asked = JSON.stringify(request), work: Work = { asked, engine, done: 0, total: 0, answer: before, of, took };
    const started = performance.now();
    this.state.works[tab] = work;
    this.onchange();
    const answer = await engine.call(command, request, (done, total) => {
      Object.assign(work, { done, total });
      this.onchange();
    });
    if (this.state.works[tab] !== work || answer.code === 130) return;
    work.engine?.stop();
    const right = isRight(answer);
    Object.assign(work, { engine: undefined, wrong: right ? undefined : answer },
      right ? { answer, of: asked, took: performance.now() - started } : {});
    this.onchange();
  }

  stop(tab: Tab): void {
    const work = this.state.works[tab];
    work?.engine?.stop();
    if (work) Object.assign(work, { engine: undefined, wrong: undefined, stopped: true });
    this.onchange();
  }

  // Work that needs no button: begins a moment after its request last changed.
  follow(tab: Tab, command: string, request: Doc): void {
    const text = JSON.stringify(request);
    if (text === this.followed) return;
    this.followed = text;
    clearTimeout(this.following);
    this.following = setTimeout(() => void this.work(tab, command, request), PAUSE);
  }
}
