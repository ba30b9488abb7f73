// SPDX-License-Identifier: Apache-2.0
//
// Starts the page: the engine, the tables, the run of the address or of the page itself or the first
// preset, then the views. globalThis.orrery is the engine for the browser's console.
import { App } from './app';
import { fromAddress } from './address';
import { h, patch } from './dom';
import { Doc, Engine, startEngine } from './engine';
import { Tables, readTables } from './keys';
import { PRESETS, readPresets } from './presets';
import { PublishedBlock, readPublished } from './published';
import { asGiven } from './run';
import { answerView } from './view/answer';
import { capacityRequest } from './view/capacity';
import { form } from './view/form';
import { frame } from './view/frame';
import { Question, readQuestions } from './view/gallery';
import { tabs } from './view/tabs';
import { whyView } from './view/why';

const FIRST = 'llama-3-8b-8-h100';

const block = (id: string): string => document.getElementById(id)?.textContent?.trim() ?? '';

// `own`: of a person; without it an example's.
async function givenRun(): Promise<{ run: Doc; notes: string[]; own?: Doc; version?: string }> {
  const first = PRESETS.find(p => p.name === FIRST) ?? PRESETS[0];
  try {
    const shared = await fromAddress(location.hash);
    if (shared) return { run: shared.run, own: shared.run, notes: [], version: `${shared.schema} ${shared.tool}` };
  } catch (e) {
    return { run: first.run, notes: [(e as Error).message] };
  }
  const own = block('run');
  if (!own) return { run: first.run, notes: [first.about].filter(Boolean) };
  const run = asGiven(JSON.parse(own) as Doc);
  return { run, own: run, notes: [] };
}

// The first answer stands on the screen: data-ready says after how many milliseconds.
let ready = false;

function ancestors(of: Element | null): HTMLElement[] {
  const all: HTMLElement[] = [];
  for (let at = of; at; at = at.parentElement) all.push(at as HTMLElement);
  return all;
}

function draw(app: App): void {
  const root = document.getElementById('page') as HTMLElement, focused = ancestors(document.activeElement);
  const middle = h('div', { key: 'middle', class: 'middle' }, answerView(app), app.state.asking.length > 0 ? null : tabs(app));
  patch(root, [frame(app, h('main', { key: 'main', class: app.state.metric ? 'with-why' : '' }, form(app), middle, whyView(app)))]);
  if (app.state.tab === 'capacity' && app.tables.keys.size > 0) app.follow('capacity', 'capacity', capacityRequest(app));
  // Keyboard focus stays near the place whose control went.
  if (focused[0]?.isConnected === false) focused.find(e => e.isConnected && e.hasAttribute('tabindex'))?.focus();
  if (app.state.answer && !ready) requestAnimationFrame(() => { document.documentElement.dataset.ready = String(Math.round(performance.now())); });
  ready ||= app.state.answer !== undefined;
}

// One drawing a frame, however much changed; an answer is drawn when it comes.
function drawn(app: App): (now?: boolean) => void {
  let waiting = 0;
  return now => {
    if (now) {
      cancelAnimationFrame(waiting);
      waiting = 0;
      draw(app);
    } else {
      waiting ||= requestAnimationFrame(() => { waiting = 0; draw(app); });
    }
  };
}

function keyboard(app: App): void {
  addEventListener('keydown', e => {
    const typing = (e.target as HTMLElement).closest('input:not([type=range]), textarea, select');
    if (e.key === 'Escape' && typing) (typing as HTMLElement).blur();
    if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
    const tab = (id: typeof app.state.tab) => { app.set({ tab: id }); requestAnimationFrame(() => document.getElementById(`tab-${id}`)?.focus()); };
    const act: Record<string, () => void> = {
      '/': () => app.toPaste(),
      e: () => void app.explain(app.state.metric ?? 'step_time_s').then(() => requestAnimationFrame(() => document.querySelector<HTMLElement>('[role=treeitem]')?.focus())),
      s: () => tab('search'), t: () => tab('timeline'), c: () => tab('compare'), l: () => tab('limits'), a: () => tab('answer'), p: () => app.pin(),
      '?': () => app.set({ help: !app.state.help }),
      Escape: () => app.set({ help: false, gallery: false, metric: undefined, tree: undefined }),
    };
    if (act[e.key]) { e.preventDefault(); act[e.key](); }
  });
}

// The engine unpacks itself in its worker meanwhile.
async function start(engine: Engine): Promise<void> {
  readPresets(JSON.parse(block('presets')) as [string, string][]);
  readQuestions(JSON.parse(block('questions')) as Question[]);
  const { run, notes, own, version } = await givenRun();
  const app = new App(engine, new Tables([], [], {}), run);
  app.onchange = drawn(app);
  // The answer first: the form needs the tables, the answer does not.
  const asked = app.use(run, notes, own ?? {});
  const reading = readTables(engine, JSON.parse(block('names')) as Record<string, string[]>);
  keyboard(app);
  app.published = readPublished(JSON.parse(block('published')) as PublishedBlock);
  Object.assign(globalThis, { orrery: { call: engine.call.bind(engine), state: app.state, app } });
  addEventListener('hashchange', async () => {
    try {
      const shared = await fromAddress(location.hash);
      if (shared && location.hash !== await app.address()) await app.use(shared.run);
    } catch (e) {
      app.set({ notes: [(e as Error).message] });
    }
  });
  await asked;
  Object.assign(app, { tables: await reading });
  app.onchange();
  const { answer } = app.state;
  const now = `${String(answer?.schema_version)} ${String(answer?.tool_version)}`;
  if (version && answer && version !== now) {
    app.set({ notes: [`This link was made by Orrery ${version.split(' ')[1]}, schema ${version.split(' ')[0]}; this is ${now.split(' ')[1]}, schema ${now.split(' ')[0]}: numbers may differ.`] });
  }
}

function failed(e: Error): void {
  const page = document.getElementById('page') as HTMLElement;
  page.textContent = `The engine did not start: ${e.message}. The page needs a browser with WebAssembly exceptions (2022 or later).`;
}

startEngine().then(engine => {
  engine.started.catch(failed);
  return start(engine);
}).catch(failed);
