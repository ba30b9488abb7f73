// SPDX-License-Identifier: Apache-2.0
//
// The run: a few controls a group, all keys behind a fold. Set keys are bold; all others are
// grey and say their origin.
import { App, openKeys } from '../app';
import { Child, Tree, h } from '../dom';
import type { Doc, Json } from '../engine';
import { percent, seconds, verdict } from '../format';
import { Key } from '../keys';
import { PRESETS } from '../presets';
import { at, changed, fromWords, isDoc, originOf, originWords, words } from '../run';
import { forEngine } from '../yaml';
import { isRl } from './rl';

interface Control { path: string; label: string; most?: number; least?: number; place?: string }

const GROUPS: [string, Control[]][] = [
  ['Model', [{ path: 'model', label: 'model' }]],
  ['Cluster', [{ path: 'cluster.node', label: 'node' }, { path: 'cluster.gpus', label: 'GPUs', most: 16 }]],
  ['Training', [
    { path: 'training.sequence_length', label: 'sequence length', least: 9, most: 20 },
    { path: 'training.global_batch', label: 'global batch', most: 14 },
    { path: 'training.micro_batch', label: 'micro batch', most: 6 },
    { path: 'training.precision', label: 'precision' },
    { path: 'training.tokens', label: 'tokens in all' }]],
  ['Strategy', [
    { path: 'parallel.tp', label: 'tensor, tp', most: 6 },
    { path: 'parallel.pp', label: 'pipeline, pp', most: 7 },
    { path: 'parallel.vpp', label: 'chunks, vpp', most: 5 },
    { path: 'parallel.cp', label: 'context, cp', most: 6 },
    { path: 'parallel.ep', label: 'experts, ep', most: 8 },
    { path: 'parallel.zero', label: 'ZeRO' },
    { path: 'parallel.schedule', label: 'schedule' },
    { path: 'parallel.recompute', label: 'recompute' },
    { path: 'parallel.sequence_parallel', label: 'sequence parallel' },
    { path: 'training.flash_attention', label: 'flash attention' },
    { path: 'framework', label: 'framework' }]],
];

// The keys of the objects of a step of reinforcement learning that have a flag, as the tables list
// them; its batch and length follow from them.
const RL_OBJECTS: [string, string][] = [['Reinforcement learning', 'training.rl.'], ['Generator', 'rollout.'], ['Placement', 'placement.']];
const FOLLOWS = new Set(['training.sequence_length', 'training.global_batch', 'training.tokens']);

function groups(app: App): [string, Control[]][] {
  if (!isRl(app.state.run)) return GROUPS;
  const of = (prefix: string): Control[] => [...app.tables.keys.values()].filter(k => k.path.startsWith(prefix) && k.flag)
    .map(k => ({ path: k.path, label: k.path.slice(prefix.length).replace(/[._]/g, ' ') }));
  const own = GROUPS.map(([title, controls]): [string, Control[]] => [title, controls.filter(c => !FOLLOWS.has(c.path))]);
  return [...own.slice(0, 2), ...RL_OBJECTS.map(([title, prefix]): [string, Control[]] => [title, of(prefix)]), ...own.slice(2)];
}

export function form(app: App): Tree {
  const { state } = app;
  return h('form', { class: `run${state.formOpen ? ' open' : ''}`, 'aria-label': 'The run', onsubmit: (e: Event) => e.preventDefault() },
    toggle(app), presets(app), pasteBox(app),
    groups(app).map(([title, controls]) => h('fieldset', null, h('legend', null, title), controls.map(c => control(app, c)))),
    h('details', { class: 'keys', open: state.allKeys, ontoggle: (e: Event) => {
      const open = (e.target as HTMLDetailsElement).open;
      if (open !== state.allKeys) app.set({ allKeys: open });
    } }, h('summary', null, `All ${app.tables.keys.size} keys`), state.allKeys && allKeys(app)),
    state.answer && state.asking.length === 0 && h('p', { class: `glance${state.run === state.of ? '' : ' stale'}`, 'aria-hidden': 'true' }, glance(state.answer)));
}

// Seen on a narrow screen alone: what the form says, before it is opened, and the answer below it while it is.
function toggle(app: App): Tree {
  const { run, formOpen } = app.state;
  const model = words(isDoc(run.model) ? run.model.name : run.model) || 'a model', gpus = words(at(run, 'cluster.gpus'));
  return h('button', { type: 'button', class: 'toggle', 'aria-expanded': String(formOpen), onclick: () => app.set({ formOpen: !formOpen }) },
    h('b', null, formOpen ? 'Done' : 'Change the run'), formOpen ? '' : ` ${model}, ${gpus} GPUs`);
}

function glance(a: Doc): string {
  return `${verdict(words(at(a, 'memory.fit')), Number(at(a, 'memory.fit_probability')))} · ${seconds(Number(a.step_time_s))} a step${isDoc(a.rl) ? '' : ` · ${percent(Number(a.mfu))} MFU`}`;
}

function presets(app: App): Tree {
  const name = words(at(app.state.run, 'name'));
  return h('div', { class: 'row preset' }, h('span', null, 'start from'),
    h('span', null, h('button', { type: 'button', 'aria-expanded': String(app.state.gallery), onclick: () => app.set({ gallery: !app.state.gallery }) }, 'questions'), ' ',
      h('select', { 'aria-label': 'start from a shipped run', value: '', onchange: (e: Event) => {
        const preset = PRESETS.find(p => p.name === (e.target as HTMLSelectElement).value);
        if (preset) void app.use(preset.run, preset.about ? [preset.about] : [], {});
      } }, h('option', { value: '' }, name || 'a run …'),
      options(PRESETS.map(p => p.name)))));
}

// Options of a list that does not change, made once: drawing passes over them.
const made = new Map<string, Tree[]>();
function options(words: string[]): Tree[] {
  const name = words.join('\n');
  if (!made.has(name)) made.set(name, words.map(w => h('option', { value: w, key: w }, w)));
  return made.get(name) as Tree[];
}

function control(app: App, c: Control): Tree | null {
  const key = app.tables.keys.get(c.path);
  if (!key) return null;
  const { run, wrong } = app.state;
  const given = at(run, c.path);
  const effective = at(inputsOf(app), c.path);
  const asked = app.state.asking.includes(c.path);
  const bad = wrong !== undefined && (wrong.wrong?.path === c.path || app.state.last === c.path);
  const id = `${c.place ?? 'key'}-${c.path.replace(/\./g, '-')}`;
  return h('div', { class: `row${given !== undefined ? ' given' : ''}${bad ? ' bad' : ''}${asked ? ' asked' : ''}`, key: c.path, title: about(app, key) },
    h('label', { for: id }, c.label),
    input(app, key, c, { id, given, effective, bad }),
    c.most ? slider(app, c, given ?? effective) : null,
    given !== undefined && key.default !== 'required'
      ? h('button', { type: 'button', class: 'clear', 'aria-label': `leave ${c.label} open`, title: 'leave it open',
          onclick: () => void app.setKey(c.path, undefined) }, '×')
      : null);
}

// A control of a key that is still open, beside the answer; one without a row is named by its path.
export function openControl(app: App, path: string): Tree {
  const known = GROUPS.flatMap(([, controls]) => controls).find(c => c.path === path);
  return control(app, { path, label: known?.label ?? app.tables.keys.get(path)?.meaning ?? path, place: 'open' }) ?? h('p', { key: path }, path);
}

// The resolved keys of the run; none while keys are open, when the last answer is of another run.
const inputsOf = (app: App): Doc | undefined => (app.state.asking.length > 0 ? undefined : app.state.answer?.inputs as Doc | undefined);

function about(app: App, key: Key): string {
  const inputs = inputsOf(app);
  const origin = inputs ? originWords(inputs, key.path) : '';
  return `${key.path}: ${key.meaning} (${key.values})${origin && `; ${origin}`}`;
}

interface Shown { id: string; given?: Json; effective?: Json; bad: boolean }

function input(app: App, key: Key, c: Control, { id, given, effective, bad }: Shown): Tree {
  const choices = app.tables.choices(key);
  const common = { id, 'aria-invalid': bad ? 'true' : undefined };
  if (isDoc(given)) return h('output', { ...common, class: 'own' }, own(given));
  const set = (text: string) => void app.setKey(c.path, text === '' ? undefined : typed(key, text));
  const value = words(given);
  if (choices.length > 0) {
    const open = key.default === 'required' || key.kind === 'document' ? null
      : h('option', { value: '', key: '' }, choiceOf(app, effective, key));
    return h('select', { ...common, value, onchange: (e: Event) => set((e.target as HTMLSelectElement).value) },
      given === undefined && key.kind === 'document' ? h('option', { value: '', key: '' }, 'choose …') : open,
      value && !choices.includes(value) ? options([value]) : null, options(choices));
  }
  return h('input', { ...common, value, placeholder: effective === undefined ? key.default : words(effective),
    autocomplete: 'off', spellcheck: 'false', inputmode: /number/.test(key.kind) ? 'decimal' : undefined,
    oninput: (e: Event) => set((e.target as HTMLInputElement).value.trim()) });
}

function choiceOf(app: App, effective: Json | undefined, key: Key): string {
  const inputs = inputsOf(app);
  const known = isDoc(inputs) ? originOf(inputs, key.path)?.known : undefined;
  return effective === undefined ? key.default || 'not set' : `${words(effective)} (${known ?? 'default'})`;
}

// Text stays text; everything else is read as JSON where it can be.
function typed(key: Key, text: string): Json {
  return key.kind === 'text' || key.kind === 'document' ? text : fromWords(text);
}

function own(doc: Doc): string {
  return `its own: ${words(doc.name) || words(doc.model_type) || `${Object.keys(doc).length} keys`}`;
}

// Steps of two, and the number in the box beside it may be any.
function slider(app: App, c: Control, value: Json | undefined): Tree {
  const number = Number(value ?? 1);
  const step = number > 0 ? Math.log2(number) : 0;
  return h('input', { type: 'range', min: c.least ?? 0, max: c.most, step: 'any', 'aria-label': c.label,
    'aria-valuetext': words(value), value: String(Math.min(c.most ?? 0, step)),
    oninput: (e: Event) => {
      const to = 2 ** Math.round(Number((e.target as HTMLInputElement).value));
      if (to !== at(app.state.run, c.path)) void app.setKey(c.path, to);
    },
    onkeydown: (e: KeyboardEvent) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[e.key];
      if (!by) return;
      e.preventDefault();
      const to = Math.min(c.most ?? 0, Math.max(c.least ?? 0, (by > 0 ? Math.floor(step + 1e-9) : Math.ceil(step - 1e-9)) + by));
      void app.setKey(c.path, 2 ** to);
    } });
}

function pasteBox(app: App): Tree {
  const pasted = app.state.pasted;
  return h('div', { class: 'paste' },
    h('label', { for: 'paste' }, 'paste anything'),
    h('textarea', { id: 'paste', rows: 2, spellcheck: 'false',
      placeholder: 'config.json, launch script, YAML, TOML, JSON, a log or an error message, topo -m, meta-llama/Llama-3.1-8B',
      onpaste: (e: ClipboardEvent) => {
        e.preventDefault();
        const text = e.clipboardData?.getData('text') ?? '';
        (e.target as HTMLTextAreaElement).value = text.length > 400 ? `${text.slice(0, 400)} …` : text;
        void understand(app, text);
      },
      onchange: (e: Event) => void understand(app, (e.target as HTMLTextAreaElement).value) }),
    h('p', { class: 'dim', role: 'status' }, pasted ? saidOf(pasted) : ''),
    pasted ? pastedLines(app, pasted) : null);
}

function saidOf(pasted: Doc): string {
  if (typeof pasted.error === 'string') return pasted.error;
  if (typeof pasted.read === 'string') return pasted.read;
  const count = (name: string) => (Array.isArray(pasted[name]) ? (pasted[name] as Json[]).length : 0);
  const parts = [`understood ${words(pasted.understood)} keys`];
  if (count('assumed')) parts.push(`assumed ${count('assumed')}`);
  const not = count('not_understood') + count('refused');
  if (not) parts.push(`${not} without equivalent`);
  if (count('missing')) parts.push(`still open: ${(pasted.missing as string[]).join(', ')}`);
  return parts.join(', ');
}

function pastedLines(app: App, pasted: Doc): Child[] {
  const lines = (name: string, of: (d: Doc) => Child) => ((pasted[name] ?? []) as Doc[]).map(d => h('li', null, of(d)));
  const refused = lines('refused', d => [`${words(d.setting)}: ${words(d.why)} `, d.key === 'cluster.node' && nodesIn(app, words(d.why))]);
  const more = [
    ...lines('not_understood', d => `${words(d.setting)}: ${words(d.why)}`),
    ...lines('assumed', d => `${words(d.path)} = ${words(d.value)}: ${[words(d.why), words(d.where)].filter(Boolean).join(', ')}`)];
  return [refused.length > 0 && h('ul', null, refused),
    more.length > 0 && h('details', null, h('summary', null, 'which'), h('ul', null, more))];
}

// The nodes that a machine may be, as the engine names them, to choose from.
function nodesIn(app: App, why: string): Tree[] {
  const named = new Set(why.split(/[\s,;]+/));
  return (app.tables.names.nodes ?? []).filter(n => named.has(n)).map(n =>
    h('button', { type: 'button', class: 'use', key: n, 'aria-label': `use ${n}`, onclick: () => void app.setKey('cluster.node', n) }, n));
}

const MOST_PASTED = 4_000_000;

// A hub's name or address of a model, a node, or a run that ships.
function named(app: App, text: string): boolean {
  const word = text.trim();
  if (/\s/.test(word) || word.length > 200) return false;
  const { names } = app.tables;
  const preset = PRESETS.find(p => p.name === word);
  if (preset) void app.use(preset.run, preset.about ? [preset.about] : [], {});
  else if (/^(https?:\/\/)?(www\.)?(huggingface|modelscope)\.c[on]m?\/|^[\w.-]+\/[\w.-]+$/.test(word) || names.models?.includes(word)) void given(app, { model: word });
  else if (names.nodes?.includes(word) || /^\d+x[\w-]+$/.test(word)) void given(app, { cluster: { node: word } });
  else return false;
  return true;
}

const LENGTH = 'training.sequence_length';
// Values that stand for open keys while the engine is asked whether a sample has a length.
const ANY: [string, Json][] = [['cluster.node', 'dgx-h100'], ['cluster.gpus', 8], ['training.global_batch', 8]];

// Keys that are open and needed: an image has a height in place of a sequence length.
async function stillOpen(app: App, run: Doc, missing: string[] = []): Promise<string[]> {
  const open = openKeys(run, missing);
  if (!open.includes(LENGTH) || run.model === undefined) return open;
  const whole = ANY.reduce((doc, [path, value]) => (at(doc, path) === undefined ? changed(doc, path, value) : doc), run);
  const { wrong } = await app.engine.call('estimate', { run: whole });
  if (wrong?.path === LENGTH) return open;
  return [...open.filter(path => path !== LENGTH), ...(wrong?.found === 'nothing' ? [wrong.path] : [])];
}

// Beside what a person has set before; the rest is asked for.
async function given(app: App, part: Doc, missing: string[] = []): Promise<string[]> {
  const run = joined(app.state.own, part), asking = await stillOpen(app, run, missing);
  await app.use(run, [], run, asking);
  return asking;
}

// A diagnosis of a log or an error message, beside the run where that is a person's own.
async function diagnose(app: App, text: string): Promise<boolean> {
  const { own, run } = app.state, log = { file: 'pasted', text }, isOwn = openKeys(own).length === 0;
  let diagnosis = await app.engine.call('diagnose', isOwn ? { run, log, format: 'html' } : { log, format: 'html' });
  // A log of another run than ours stands alone.
  if (diagnosis.error && isOwn) diagnosis = await app.engine.call('diagnose', { log, format: 'html' });
  if (diagnosis.error) return false;
  app.set({ diagnosis, pasted: { read: 'a log or a message, diagnosed beside' } });
  return true;
}

// A run file is taken as it is, a log is diagnosed; anything else goes through `import`. Keys that a
// person has set stay; nothing of the example does.
export async function understand(app: App, text: string): Promise<void> {
  if (!text.trim()) return;
  if (text.length > MOST_PASTED) {
    app.set({ pasted: { error: `that is ${text.length} characters; the most that is read is ${MOST_PASTED}` } });
    return;
  }
  if (named(app, text)) return;
  const own = asRun(text);
  if (own) {
    await app.use(own, [], own, await isWrong(app, own) ? [] : await stillOpen(app, own));
    app.set({ pasted: { understood: countOf(own), missing: app.state.asking } });
    return;
  }
  const a = await app.engine.call('import', { file: { file: 'pasted', text: forEngine(text) } });
  // With code 2 it may still have read the most of it.
  const answer = a.text ? JSON.parse(a.text) as Doc : {};
  const read = answer.run;
  if (!isDoc(read) || countOf(read) === 0 || a.error && isLog(text)) {
    if (await diagnose(app, text)) return;
  }
  if (!isDoc(read)) {
    app.set({ pasted: { error: a.error } });
    return;
  }
  const missing = await given(app, read, (answer.missing ?? []) as string[]);
  const { run: _, ...said } = answer;
  app.set({ pasted: { ...said, missing, understood: countOf(read) - ((said.assumed ?? []) as Json[]).length } });
}

// Whether a run has a fault beside its open keys.
async function isWrong(app: App, run: Doc): Promise<boolean> {
  const path = (await app.engine.call('estimate', { run })).wrong?.path ?? '';
  return path !== '' && !openKeys(run).includes(path);
}

// Lines that no settings have.
function isLog(text: string): boolean {
  return /out of memory|OutOfMemory|RESOURCE_EXHAUSTED|oom.kill|Traceback \(most recent|iteration +\d+\/|elapsed time per iteration|\bstep:? +\d+.*loss/i.test(text);
}

function asRun(text: string): Doc | null {
  try {
    const doc = JSON.parse(text) as Json;
    return isDoc(doc) && isDoc(doc.training) && (isDoc(doc.cluster) || doc.training.sequence_length !== undefined) ? doc : null;
  } catch {
    return null;
  }
}

// A part that was pasted replaces ours: a strategy is not mixed with another. Keys of the cluster and
// the training that the paste leaves open stay.
function joined(old: Doc, given: Doc): Doc {
  const out: Doc = { ...old };
  delete out.name;
  for (const [key, value] of Object.entries(given)) {
    const keeps = (key === 'cluster' || key === 'training') && isDoc(value) && isDoc(old[key]);
    out[key] = keeps ? { ...(old[key] as Doc), ...(value as Doc) } : value;
  }
  return out;
}

function countOf(doc: Json): number {
  return isDoc(doc) ? Object.values(doc).reduce<number>((n, v) => n + countOf(v), 0) : 1;
}

function allKeys(app: App): Tree {
  const { filter } = app.state;
  const wanted = filter.toLowerCase();
  const rows = [...app.tables.keys.values()].filter(k => k.kind !== 'object' && !/^(assumed|stated)\b/.test(k.path) &&
    `${k.path} ${k.meaning}`.toLowerCase().includes(wanted));
  return h('div', null,
    h('input', { type: 'search', 'aria-label': 'search the keys', placeholder: 'search the keys', value: filter,
      oninput: (e: Event) => app.set({ filter: (e.target as HTMLInputElement).value }) }),
    h('div', { class: 'all', tabindex: 0, role: 'group', 'aria-label': 'all keys' }, rows.map(k => h('div', { key: k.path }, control(app, { path: k.path, label: k.path, place: 'all' }),
      h('p', { class: 'dim meaning' }, k.meaning)))));
}
