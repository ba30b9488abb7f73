// SPDX-License-Identifier: Apache-2.0
//
// Below the answer: search, timeline, sweep, comparison, capacity, and what can be taken away. Each
// works on the run above; search and capacity can put a result back into it.
import { App, TABS, Tab } from '../app';
import { lines, Line } from '../chart';
import { Child, Tree, h, ready } from '../dom';
import { documentOf } from '../embedded';
import { isRight } from '../engine';
import type { Doc, Json } from '../engine';
import { change, digits, gib, inUnit, isFitting, percent, seconds, sure } from '../format';
import { at, commandLine, fromWords, isDoc, leaves, words } from '../run';
import { bars, table, wholeAnswer } from './answer';
import { capacity } from './capacity';
import { box, copied, field, parsed, progress } from './parts';
import { limits } from './limits';
import { isRl, rlFound } from './rl';

export function tabs(app: App): Tree {
  const { tab } = app.state;
  const views: Record<Tab, (app: App) => Child> = { answer: wholeAnswer, limits, search, timeline, sweep, compare, capacity, take };
  return h('section', { key: 'below', class: 'below', 'aria-label': 'More' },
    h('div', { role: 'tablist', 'aria-label': 'More about this run', onkeydown: (e: KeyboardEvent) => turn(app, e) },
      TABS.map(([id, name]) => h('button', { type: 'button', role: 'tab', id: `tab-${id}`, key: id, 'aria-selected': String(tab === id),
        'aria-controls': 'panel', tabindex: tab === id ? 0 : -1, onclick: () => app.set({ tab: id }) }, name))),
    h('div', { role: 'tabpanel', id: 'panel', 'aria-labelledby': `tab-${tab}`, tabindex: 0, key: tab }, views[tab](app)));
}

function turn(app: App, e: KeyboardEvent): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
  if (!by) return;
  const ids = TABS.map(([id]) => id);
  const next = ids[(ids.indexOf(app.state.tab) + by + ids.length) % ids.length];
  app.set({ tab: next });
  document.getElementById(`tab-${next}`)?.focus();
}

export function go(app: App, tab: Tab, name: string, command: string, request: () => Doc): Tree {
  const work = app.state.works[tab];
  return h('div', { class: 'go' },
    work?.engine
      ? h('button', { type: 'button', onclick: () => app.stop(tab) }, 'stop')
      : h('button', { type: 'button', onclick: () => void app.work(tab, command, request()) }, name),
    work?.engine ? progress(work) : null,
    work?.wrong ? h('p', { class: 'error', role: 'alert' }, work.wrong.error) : null,
    work?.answer && work.of !== JSON.stringify(request()) ? h('span', { class: 'dim' }, 'of the run before its last change') : null);
}

const lists = (text: string): string[] => text.split(';').map(t => t.trim()).filter(Boolean);

export function answerOf(app: App, tab: Tab): Doc | undefined {
  const work = app.state.works[tab];
  return work?.answer ? parsed(work.answer) : undefined;
}

// ---- search

function searchRequest(app: App): Doc {
  const request: Doc = { run: app.state.run, top: 12 };
  if (!isRl(app.state.run)) request.html = 'search.html';
  const where = lists(field(app, 'where'));
  if (where.length) request.where = where;
  const minimize = field(app, 'minimize');
  if (minimize) request.minimize = minimize;
  return request;
}

function search(app: App): Child {
  const a = answerOf(app, 'search'), work = app.state.works.search;
  return [
    h('p', { class: 'dim' }, isRl(app.state.run) ? 'Placements, splits, engines and the learner\'s layout, beside those of the run (yours).'
      : 'Every split of this model over these GPUs, beside the split of the run (yours).'),
    h('div', { class: 'boxes' }, box(app, { name: 'where', label: 'only where', about: 'memory.peak_gib <= 72; tp <= 8' }),
      box(app, { name: 'minimize', label: 'least', about: 'step_time_s' }),
      go(app, 'search', 'search', 'search', () => searchRequest(app))),
    a && 'placements' in a ? [
      h('p', { role: 'status' }, `${digits(Number(a.placements), 12)} placements in ${seconds(Number(work?.took) / 1000)}`),
      rlFound(app, a),
    ] : a ? [
      h('p', { role: 'status' }, `${digits(Number(a.candidates), 12)} strategies in ${seconds(Number(work?.took) / 1000)}: `,
        `${digits(Number(a.does_not_fit), 12)} do not fit, ${digits(Number(at(a, 'ties.count') ?? 0), 12)} within the winner's error bar.`),
      // The document's own table of them says no more.
      table(['', 'step', 'MFU', 'peak', 'fits', '', 'strategy', 'why it is here'], ((a.best ?? []) as Doc[]).map((b, i) => [
        i + 1, seconds(Number(b.step_time_s)), percent(Number(b.mfu)), gib(Number(at(b, 'memory.peak_gib'))),
        sure(Number(at(b, 'memory.fit_probability'))), 
        h('button', { type: 'button', class: 'use', 'aria-label': `use strategy ${i + 1}`, onclick: () => void app.take(b.strategy as Doc) }, 'use'),
        strategyWords(b.strategy as Doc), words(b.why),
      ] as Child[]).concat(ownRow(a)), 0, 5),
      work?.answer?.files['search.html'] ? ready(documentOf(work.answer, work.answer.files['search.html'], ['Best'])) : null,
    ] : null];
}

// The run's own strategy, by the keys that the best one has.
function ownRow(a: Doc): Child[][] {
  const own = a.own, best = (a.best as Doc[])[0];
  if (!isDoc(own) || !best) return [];
  const strategy = Object.fromEntries(Object.entries(best.strategy as Doc).map(([part, keys]) =>
    [part, Object.fromEntries(Object.keys(keys as Doc).map(key => [key, at(own, `inputs.${part}.${key}`) ?? null]))]));
  return [['yours', seconds(Number(own.step_time_s)), percent(Number(own.mfu)), gib(Number(at(own, 'memory.peak_gib'))),
    sure(Number(at(own, 'memory.fit_probability'))), '', strategyWords(strategy), words(own.against_best)]];
}

function strategyWords(strategy: Doc): string {
  return leaves(strategy).filter(([, v]) => v !== 1 && v !== false)
    .map(([path, v]) => `${path.split('.').slice(1).join('.')} ${words(v)}`).join(' · ');
}

// ---- timeline

function timeline(app: App): Child {
  const work = app.state.works.timeline, html = work?.answer?.files['step.html'];
  return [
    h('p', { class: 'dim' }, 'One step as events: every pass of every stage, what is exposed, memory over time, the critical path.'),
    h('div', { class: 'boxes' },
      box(app, { name: 'slow', label: 'slow part', about: 'gpu:0=1.3' }), box(app, { name: 'jitter', label: 'jitter', about: '0.05' }),
      go(app, 'timeline', 'play the step', 'simulate', () => timelineRequest(app))),
    work?.answer && html ? ready(documentOf(work.answer, html)) : null];
}

function timelineRequest(app: App): Doc {
  const request: Doc = { run: app.state.run, html: 'step.html' };
  const slow = field(app, 'slow'), jitter = field(app, 'jitter');
  if (slow) request.slow = lists(slow);
  if (jitter) request.jitter = fromWords(jitter);
  return request;
}

// ---- sweep

function sweepRequest(app: App): Doc {
  const axes: Doc = { [field(app, 'axis', 'parallel.tp')]: valuesOf(field(app, 'values', '1, 2, 4, 8')) };
  const second = field(app, 'axis2');
  if (second) axes[second] = valuesOf(field(app, 'values2'));
  return { sweep: { run: app.state.run, axes, columns: [...new Set(['memory.peak_gib', field(app, 'metric', 'step_time_s')])] } };
}

function valuesOf(text: string): Json {
  return text.split(',').map(t => fromWords(t.trim()));
}

function sweep(app: App): Child {
  const work = app.state.works.sweep;
  return [
    h('div', { class: 'boxes' },
      box(app, { name: 'axis', label: 'key', start: 'parallel.tp' }), box(app, { name: 'values', label: 'values', start: '1, 2, 4, 8' }),
      box(app, { name: 'axis2', label: 'second key' }), box(app, { name: 'values2', label: 'its values' }),
      box(app, { name: 'metric', label: 'what', start: 'step_time_s' }),
      go(app, 'sweep', 'sweep', 'sweep', () => sweepRequest(app))),
    work?.answer ? sweepPlot(app, work.answer.text, JSON.parse(work.of ?? '{}') as Doc) : null];
}

const rowsOf = (text: string): Doc[] => text.split('\n').filter(Boolean).map(l => JSON.parse(l) as Doc);

const NEVER = new Set(['illegal', 'nothing fits']);

function sweepPlot(app: App, text: string, request: Doc): Child {
  const rows = rowsOf(text);
  const axes = at(request, 'sweep.axes') as Doc, [first, second] = Object.keys(axes);
  const metric = (at(request, 'sweep.columns') as string[]).slice(-1)[0];
  const names = (axes[first] as Json[]).map(words);
  const series = new Map<string, Line>();
  const value = (r: Doc) => Number(r[metric] ?? NaN);
  const axis = (r: Doc, path: string) => words(r[path]);
  const fits = (r: Doc) => isFitting(words(r.status));
  for (const r of rows) {
    const name = second ? `${second} ${axis(r, second)}` : metric;
    const line = series.get(name) ?? { name, points: [] };
    if (Number.isFinite(value(r))) line.points.push([names.indexOf(axis(r, first)), value(r), !fits(r)]);
    series.set(name, line);
  }
  const unit = app.tables.metrics.get(metric)?.unit ?? '';
  const numbers = rows.filter(r => Number.isFinite(value(r))), good = numbers.filter(fits);
  const best = good.length ? good.reduce((a, b) => (value(b) < value(a) ? b : a)) : undefined;
  const hollow = numbers.length > good.length ? `; hollow points are unlikely to fit` : '';
  const title = best ? `${metric} is least, ${inUnit(value(best), unit)}, at ${first} ${axis(best, first)}${second ? `, ${second} ${axis(best, second)}` : ''}, which ${words(best.status) === 'fits' ? 'fits' : `is ${words(best.status)}`}${hollow}`
    : numbers.length ? 'No point fits as likely as not; all are hollow' : `no point has ${metric}`;
  // Points that do not fit come last, those without a number after them.
  const rank = (r: Doc) => (fits(r) ? 0 : Number.isFinite(value(r)) && !NEVER.has(words(r.status)) ? 1 : 2);
  const sorted = rows.map((r, i): [Doc, number] => [r, i]).sort(([a, i], [b, k]) => rank(a) - rank(b) || i - k).map(([r]) => r);
  return [
    lines(names, [...series.values()], title, [first, metric], v => inUnit(v, unit)),
    table([first, ...(second ? [second] : []), metric, 'peak', 'fits', 'why not'], sorted.map(r => [
      axis(r, first), ...(second ? [axis(r, second)] : []), Number.isFinite(value(r)) ? inUnit(value(r), unit) : '–',
      Number.isFinite(Number(r['memory.peak_gib'] ?? NaN)) ? gib(Number(r['memory.peak_gib'])) : '–', words(r.status), words(r.reason)]), 0, second ? 4 : 3)];
}

// ---- compare

function compare(app: App): Child {
  const { pins } = app.state;
  const all = [...pins, ...(app.state.answer && !app.state.wrong && app.state.of ? [{ name: 'now', run: app.state.of, answer: app.state.answer }] : [])];
  if (pins.length === 0) {
    return h('p', { class: 'dim' }, 'Pin up to four runs with “pin” above, or the key p; they stand here beside the run as it is now.');
  }
  const base = all[0];
  const row = (name: string, of: (a: Doc) => Child) => [name, ...all.map(p => of(p.answer))];
  const work = app.state.works.compare;
  return [
    table(['', ...all.map(p => p.name)], [
      row('step', a => [seconds(Number(a.step_time_s)), h('small', null, a === base.answer ? '' : ` ${change(Number(a.step_time_s) / Number(base.answer.step_time_s) - 1)}`)]),
      row('MFU', a => isDoc(a.rl) ? '–' : percent(Number(a.mfu))),
      row('tokens/s', a => digits(Number(a.tokens_per_s), 4)),
      row('peak', a => gib(Number(at(a, 'memory.peak_gib')))),
      row('fits', a => sure(Number(at(a, 'memory.fit_probability')))),
      ...differing(all.map(p => p.run)).map(path => [path, ...all.map(p => words(at(p.run, path)) || '–')]),
      ['', ...all.map(p => h('button', { type: 'button', class: 'use', 'aria-label': `use ${p.name}`, onclick: () => void app.use(p.run) }, 'use'))],
    ], 1, 9),
    all.length > 1 ? go(app, 'compare', 'why do they differ', 'compare', () => ({ runs: all.map(p => p.run), format: 'text', width: 110 })) : null,
    work?.answer?.text ? h('pre', { tabindex: 0 }, work.answer.text) : null];
}

function differing(runs: Doc[]): string[] {
  const paths = new Set(runs.flatMap(r => leaves(r).map(([path]) => path)));
  return [...paths].filter(p => new Set(runs.map(r => words(at(r, p)))).size > 1);
}

// ---- take away

const EXPORTS: [string, string, string, Doc][] = [
  ['Megatron-LM arguments', 'megatron.sh', 'export', { as: 'megatron', format: 'text' }],
  ['DeepSpeed', 'ds_config.json', 'export', { as: 'deepspeed', format: 'text' }],
  ['torchtitan', 'torchtitan.toml', 'export', { as: 'torchtitan-toml', format: 'text' }],
  ['Megatron-Bridge overrides', 'bridge.sh', 'export', { as: 'bridge', format: 'text' }],
  ['Accelerate', 'accelerate.yaml', 'export', { as: 'accelerate', format: 'text' }],
  ['job’s header, Slurm', 'job.sbatch', 'export', { as: 'sbatch', format: 'text' }],
  ['whole run file', 'run-resolved.json', 'export', { as: 'run', format: 'text' }],
  ['answer, JSON', 'answer.json', 'estimate', {}],
  ['answer, CSV', 'answer.csv', 'estimate', { format: 'csv' }],
  ['answer, text', 'answer.txt', 'estimate', { format: 'text' }],
  ['trace for ui.perfetto.dev', 'trace.json', 'simulate', { trace: 'trace.json' }],
];

function take(app: App): Child {
  const { run } = app.state;
  const text = JSON.stringify(run, null, 2);
  const command = commandLine(run, app.tables.flags);
  const copy = (what: string, from: () => string | Promise<string>) => h('button', { type: 'button', onclick: async (e: Event) => {
    const button = e.currentTarget as HTMLElement;
    const done = await copied(await from());
    button.textContent = done ? 'copied' : 'select and copy it';
    setTimeout(() => { button.textContent = what; }, 1500);
  } }, what);
  return [
    h('div', { class: 'go' },
      copy('copy the link', async () => location.href.split('#')[0] + await app.address()), copy('copy the command', () => command), copy('copy the run file', () => text),
      h('button', { type: 'button', onclick: () => download('run.json', text) }, 'save run.json'),
      h('button', { type: 'button', onclick: () => print() }, 'print'),
      h('button', { type: 'button', onclick: () => savePictures(download) }, 'save pictures, SVG'),
      h('button', { type: 'button', onclick: () => savePictures(asPng) }, 'save pictures, PNG')),
    h('p', null, 'Other tools: ', EXPORTS.map(([name, file, cmd, more]) => [h('button', { type: 'button', class: 'use', onclick: async () => {
      const a = await app.engine.call(cmd, { run, ...more });
      const right = isRight(a);
      if (right) download(file, a.files[file] ?? a.text);
      app.state.works.take = { done: 0, total: 0, wrong: right ? undefined : a };
      app.onchange();
    } }, name), ' '])),
    app.state.works.take?.wrong ? h('p', { class: 'error', role: 'alert' }, app.state.works.take.wrong.error) : null,
    h('h2', null, 'Command line'), h('pre', { tabindex: 0, class: 'wrap' }, command), bars(app),
    h('h2', null, 'Run file'), h('pre', { tabindex: 0 }, text)];
}

export function download(name: string, content: string | Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Each picture on the screen as a file of its own, with the colours it has here.
function savePictures(save: (name: string, svg: string, size: DOMRect) => void): void {
  document.querySelectorAll<SVGElement>('main svg').forEach((svg, i) => {
    const copy = svg.cloneNode(true) as SVGElement;
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    const shapes = svg.querySelectorAll<SVGElement>('*'), copies = copy.querySelectorAll<SVGElement>('*');
    shapes.forEach((shape, k) => {
      const style = getComputedStyle(shape);
      for (const name of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font', 'opacity']) copies[k].setAttribute(name, style.getPropertyValue(name));
    });
    const size = svg.getBoundingClientRect();
    copy.setAttribute('width', `${size.width}`);
    copy.setAttribute('height', `${size.height}`);
    if (size.width > 0) save(`orrery-${i + 1}.svg`, copy.outerHTML, size);
  });
}

// Twice as fine as on the screen, on the page's own ground.
function asPng(name: string, svg: string, size: DOMRect): void {
  const image = new Image(), canvas = document.createElement('canvas');
  canvas.width = 2 * size.width;
  canvas.height = 2 * size.height;
  image.onload = () => {
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.fillStyle = getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(blob => { if (blob) download(name.replace(/svg$/, 'png'), blob); });
  };
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
