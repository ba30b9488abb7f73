// SPDX-License-Identifier: Apache-2.0
//
// Products beside one another: a column each, of which the first is the cluster of the run. Their
// requirements stand above; every change is answered without a button (App.follow).
import { PRICES, TOKENS } from '../app';
import type { App } from '../app';
import { stacked } from '../chart';
import { Child, Tree, h, ready } from '../dom';
import { documentOf } from '../embedded';
import type { Doc, Json } from '../engine';
import { days, digits, gib, money, percent, si, sure } from '../format';
import { at, changed, fromWords, isDoc, words } from '../run';
import { fold } from './answer';
import { box, field, parsed, progress } from './parts';

const PAGE = 'capacity.html';
// Nodes that a first visit compares with the run's own cluster.
const OTHERS = ['hgx-h200', 'hgx-b200', 'gb200-nvl72'];
const MOST = 8;

// A column: '' is the run's own cluster, else a node that ships.
function products(app: App): string[] {
  const kept = app.state.fields.products;
  if (kept !== undefined) return kept.split(';');
  const own = words(at(app.state.run, 'cluster.node'));
  return ['', ...OTHERS.filter(n => n !== own)];
}

const keep = (app: App, nodes: string[]): void => app.setField('products', nodes.join(';'));

function nameOf(app: App, node: string): string {
  const own = at(app.state.run, 'cluster.node');
  const name = typeof own === 'string' ? own : 'its own node';
  return node || (products(app).includes(name) ? `${name}, the run's` : name);
}

// Requirements on all products, and the key that the engine names if one is wrong.
const ASKED = [{ name: 'tokens', label: 'tokens', key: 'goal' }, { name: 'deadline', label: 'deadline', about: 'none', key: 'deadline' },
  { name: 'budget', label: 'budget', about: '5e6', key: 'budget' }, { name: 'power', label: 'power', about: '2 MW', key: 'power' },
  { name: 'sizes', label: 'GPUs', about: 'the fewest, or 512, 1024', key: 'gpus' }];

function startOf(app: App, name: string): string {
  if (name === 'tokens') return words(at(app.state.run, 'training.tokens')) || String(TOKENS);
  return name === 'deadline' ? '60 d' : '';
}

// Years and share of use over which what is bought is paid for; without both it has no cost.
const OWNED = [{ name: 'lifetime', label: 'lifetime bought, years', about: '4' }, { name: 'utilisation', label: 'of it in use', about: '0.8' }];

function ownership(app: App): Doc {
  const years = Number(field(app, 'lifetime')), use = Number(field(app, 'utilisation'));
  const typed = { source: 'typed into the page', date: new Date().toISOString().slice(0, 10) };
  return { ...(years > 0 ? { lifetime: { value: `${years * 365.25} d`, ...typed } } : {}), ...(use > 0 ? { utilisation: { value: use, ...typed } } : {}) };
}

// The rent that stands in a product's box, of the device that it had in the last answer.
function ownPrices(app: App, node: string): Json {
  const rent = field(app, `rent-${node}`), device = deviceOf(app, node);
  const owned = ownership(app), isOwned = Object.keys(owned).length > 0;
  if (!rent || !device) return isOwned ? [PRICES, owned] : PRICES;
  const value = /[a-z]/i.test(rent) ? rent : `${rent} USD/h`;
  return [PRICES, { ...owned, gpus: { [device]: { rent: { value, low: value, high: value, source: 'typed into the page', date: new Date().toISOString().slice(0, 10) } } } }];
}

function deviceOf(app: App, node: string): string | undefined {
  const option = (last(app)?.options as Doc[] | undefined)?.find(o => o.scenario === nameOf(app, node));
  return option?.device ? words(option.device) : undefined;
}

const last = (app: App): Doc | undefined => {
  const answer = app.state.works.capacity?.answer;
  return answer ? parsed(answer) : undefined;
};

function titleOf(app: App): string {
  const { model } = app.state.run;
  return `${words(isDoc(model) ? model.name : model) || 'A model'} on ${products(app).map(n => nameOf(app, n)).join(', ')}`;
}

export function capacityRequest(app: App): Doc {
  const { run } = app.state, cluster = isDoc(run.cluster) ? changed(run.cluster, 'gpus', undefined) : {};
  const plan: Doc = { name: titleOf(app), run, gpus: at(run, 'cluster.gpus') ?? 8, goal: { tokens: fromWords(field(app, 'tokens', startOf(app, 'tokens'))) },
    scenarios: products(app).map(node => ({ name: nameOf(app, node), cluster: node ? { node } : cluster, prices: ownPrices(app, node) })) };
  const request: Doc = { plan, html: PAGE };
  for (const key of ['deadline', 'budget', 'power']) {
    const value = field(app, key, startOf(app, key));
    if (!value) continue;
    request[key] = value;
    plan.gpus = 'smallest';
  }
  const sizes = field(app, 'sizes');
  if (sizes) plan.gpus = sizes.includes(',') && !sizes.startsWith('[') ? fromWords(`[${sizes}]`) : fromWords(sizes);
  if (app.state.fields.layouts === 'search') request.search = true;
  return request;
}

export function capacity(app: App): Child {
  const work = app.state.works.capacity, a = last(app), request = JSON.stringify(capacityRequest(app));
  const wrong = work?.wrong?.wrong?.path ?? '';
  return [
    h('div', { class: 'boxes' },
      ASKED.map(b => box(app, { ...b, start: startOf(app, b.name), bad: wrong.includes(b.key) })),
      OWNED.map(b => box(app, { ...b, bad: wrong.includes(b.name) })),
      h('label', { class: 'box' }, h('span', null, 'layouts'),
        h('select', { value: app.state.fields.layouts ?? '', onchange: (e: Event) => app.setField('layouts', (e.target as HTMLSelectElement).value) },
          h('option', { value: '' }, "the run's"), h('option', { value: 'search' }, 'searched'))),
      work?.engine ? h('div', { class: 'go' }, h('button', { type: 'button', onclick: () => app.stop('capacity') }, 'stop'), progress(work, 'products')) : null,
      work?.stopped && work.of !== request ? h('button', { type: 'button', onclick: () => void app.work('capacity', 'capacity', capacityRequest(app)) }, 'go on') : null),
    work?.wrong ? h('p', { class: 'error', role: 'alert' }, work.wrong.error) : null,
    a ? h('div', { class: work?.of === request ? '' : 'stale' },
      h('p', { class: 'finding', role: 'status' }, finding(a)), columns(app, a, wrong),
      h('p', { class: 'dim' }, `Bars: the middle, and a line over the 80 % range. Prices are those of ${PRICES}; type a rent to put yours in their place.`),
      fold(app, 'The whole report', () => work?.answer?.files[PAGE] && ready(documentOf(work.answer, work.answer.files[PAGE])))) : null];
}

interface Column { node: string; name: string; option?: Doc; why: string }

// For each product the size that stands first in the order of the answer.
function columnsOf(app: App, a: Doc): Column[] {
  const options = (a.options ?? []) as Doc[], ranked = ((a.ranked ?? []) as number[]).map(i => options[i]);
  return products(app).map(node => {
    const name = nameOf(app, node), mine = (o: Doc) => o.scenario === name;
    return { node, name, option: ranked.find(mine), why: words(options.find(o => mine(o) && o.reason)?.reason) };
  });
}

const num = (doc: Doc | undefined, path: string): number => Number(at(doc, path) ?? NaN);
const list = (doc: Doc | undefined, path: string): number[] => ((at(doc, path) ?? []) as Json[]).map(Number);

function meets(a: Doc, option: Doc): boolean {
  const i = ((a.options ?? []) as Doc[]).indexOf(option);
  return ((a.requirements ?? []) as Doc[]).every(r => ((r.met_by ?? []) as number[]).includes(i));
}

function said(a: Doc, o: Doc): string {
  const total = num(o, 'cost.total');
  return `${digits(num(o, 'gpus'), 9)} GPUs of ${words(o.scenario)}: ${days(list(o, 'time.days')[1])}` +
    (Number.isFinite(total) ? `, ${money(total, words(a.currency))}` : ', no price') + `, ${si(num(o, 'energy.peak_mw') * 1e6, 'W')}`;
}

function finding(a: Doc): string {
  const options = (a.options ?? []) as Doc[], best = options[((a.ranked ?? []) as number[])[0]];
  if (!best) return 'None of these can train it; each says why.';
  const [asked] = (a.requirements ?? []) as Doc[], cheap = Number.isFinite(num(best, 'cost.total'));
  if (asked && !meets(a, best)) {
    const nearest = options[Number(asked.nearest)] ?? best;
    return `Nothing meets what is asked. Nearest: ${said(a, nearest)}; ${words(asked.nearest_lacks)}.`;
  }
  return `${cheap ? 'Cheapest' : 'First'}${asked ? ' that meets what is asked' : ''}: ${said(a, best)}.`;
}

// A bar on one scale for all columns, with what is asked as a line.
function bars(columns: Column[], of: (o: Doc) => number[], limit?: number): (o: Doc) => Child {
  const all = columns.flatMap(c => (c.option ? of(c.option) : [])).filter(Number.isFinite);
  const most = Math.max(...all, limit ?? 0) * 1.03;
  return o => {
    const [low, middle, high] = of(o);
    if (!Number.isFinite(middle)) return null;
    return stacked({ parts: [{ name: 'middle', colour: 0, value: middle }], most, limit, total: middle, unit: '', low: true, whisker: high > low ? [low, high] : undefined });
  };
}

function columns(app: App, a: Doc, wrong: string): Tree {
  const all = columnsOf(app, a), nodes = products(app), currency = words(a.currency);
  const asked = (key: string) => { const v = ((a.requirements ?? []) as Doc[]).map(r => r[key]).find(x => typeof x === 'number'); return v === undefined ? undefined : Number(v); };
  const cost = (o: Doc) => { const [low, high] = list(o, 'cost.range'); return [low ?? NaN, num(o, 'cost.total'), high ?? NaN]; };
  const range = (values: number[], of: (x: number) => string) => (values[2] > values[0] ? h('small', null, ` ${of(values[0])} to ${of(values[2])}`) : null);
  const timeBar = bars(all, o => list(o, 'time.days'), asked('deadline_days')), costBar = bars(all, cost, asked('budget'));
  const powerBar = bars(all, o => [NaN, num(o, 'energy.peak_mw'), NaN], asked('power_mw'));
  const row = (title: string, of: (o: Doc, c: Column) => Child): Tree => h('tr', { key: title }, title ? h('th', { scope: 'row' }, title) : h('td'),
    all.map(c => h('td', { key: c.node }, c.option ? of(c.option, c) : null)));
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'products side by side' }, h('table', { class: 'products' },
    h('thead', null, h('tr', null, h('td'), all.map((c, i) => h('th', { key: c.node, scope: 'col' }, heading(app, c, nodes, i))),
      nodes.length < MOST ? h('td', { key: 'more' }, another(app, nodes)) : null)),
    h('tbody', null,
      row('GPUs', o => [digits(num(o, 'gpus'), 9), num(o, 'gpus_paid') > num(o, 'gpus') ? h('small', null, ` ${digits(num(o, 'gpus_paid'), 9)} paid`) : null]),
      row('meets', o => (((a.requirements ?? []) as Doc[]).length === 0 ? 'nothing asked' : meets(a, o) ? '● yes' : ['○ no', h('small', null, triedOf(a, o))])),
      row('days', o => [days(list(o, 'time.days')[1]), range(list(o, 'time.days'), days), timeBar(o)]),
      row('cost', o => (Number.isFinite(num(o, 'cost.total'))
        ? [money(num(o, 'cost.total'), currency), h('small', null, words(at(o, 'cost.payment')) === 'purchase' ? ' bought' : ' rented'), range(cost(o), x => money(x, currency)), costBar(o)]
        : h('small', null, words(at(o, 'cost.why_blank')) || 'no price'))),
      row('rent of a GPU-hour', (o, c) => rentBox(app, o, c, wrong.startsWith(`scenarios[${nodes.indexOf(c.node)}].prices`))),
      row('peak power', o => [si(num(o, 'energy.peak_mw') * 1e6, 'W'), powerBar(o)]),
      row('energy', o => si((list(o, 'energy.facility_kwh')[1] ?? NaN) * 1e3, 'Wh')),
      row('MFU', o => percent(mfuOf(o))),
      row('memory', o => [gib(num(o, 'memory.peak_gib')), h('small', null, ` of ${gib(num(o, 'memory.capacity_gib'))}, ${words(at(o, 'memory.fit'))}, ${sure(num(o, 'memory.fit_probability'))}`)]),
      row('accuracy', o => h('small', null, accuracyOf(o))),
      row('strategy', o => strategyOf(o)),
      row('', (o, c) => h('button', { type: 'button', class: 'use', 'aria-label': `use ${c.name}`, onclick: () => void take(app, o, c) }, 'use')),
      all.some(c => !c.option) ? h('tr', { key: 'why' }, h('th', { scope: 'row' }, 'why not'), all.map(c => h('td', { key: c.node, class: 'error' }, c.option ? '' : c.why))) : null)));
}

// Why no other size is there to meet it.
function triedOf(a: Doc, o: Doc): string {
  const tried = ((a.sizes_tried ?? []) as Doc[]).find(t => t.scenario === o.scenario);
  if (!tried) return '';
  const least = digits(num(tried, 'least_gpus'), 9), most = digits(num(tried, 'most_gpus'), 9);
  const beyond = num(tried, 'beyond_power');
  const why = beyond > 0 ? `${digits(beyond, 9)} more draw too much` : 'what layout and batch allow';
  return num(tried, 'tried') === 1 ? `only ${least} GPUs tried: ${why}` : `${words(tried.tried)} sizes tried, ${least} to ${most} GPUs: ${why}`;
}

// Published runs that the numbers of a product rest on, and its assumed parts.
function accuracyOf(o: Doc): string {
  const parts = ((o.rests_on ?? []) as Doc[]).filter(d => /assumed|memory|announced/.test(words(d.basis))).map(d => words(d.part));
  return words(o.accuracy) + (parts.length ? `; assumed: ${parts.join(', ')}` : '');
}

const mfuOf = (o: Doc): number => num(((at(o, 'time.phases') ?? []) as Doc[]).slice(-1)[0], 'mfu');

function heading(app: App, c: Column, nodes: string[], i: number): Child {
  const pick = (to: string) => keep(app, nodes.map((n, k) => (k === i ? to : n)));
  return [chooser(app, `product ${i + 1}`, nodes, c.node, pick),
    nodes.length > 1 ? h('button', { type: 'button', class: 'clear', 'aria-label': `without ${c.name}`, onclick: () => keep(app, nodes.filter((_, k) => k !== i)) }, '×') : null];
}

// The nodes that are no column yet, and the one that this column has.
function chooser(app: App, label: string, nodes: string[], node: string | undefined, act: (to: string) => void): Tree {
  const own = words(at(app.state.run, 'cluster.node'));
  const free = (app.tables.names.nodes ?? []).filter(n => n === node || (!nodes.includes(n) && !(nodes.includes('') && n === own)));
  return h('select', { 'aria-label': label, value: node ?? 'none', onchange: (e: Event) => act((e.target as HTMLSelectElement).value) },
    node === undefined ? h('option', { value: 'none', key: 'none' }, 'add …') : null,
    node === '' || !nodes.includes('') ? h('option', { value: '', key: '' }, `${nameOf(app, '')}, the run's`) : null,
    free.map(n => h('option', { value: n, key: n }, n)));
}

const another = (app: App, nodes: string[]): Tree => chooser(app, 'add a product', nodes, undefined, to => { if (to !== 'none') keep(app, [...nodes, to]); });

function rentBox(app: App, o: Doc, c: Column, bad: boolean): Tree {
  const name = `rent-${c.node}`, now = num(o, 'cost.per_gpu_hour');
  return h('input', { 'aria-label': `rent of a GPU-hour, ${c.name}`, class: 'rent', 'aria-invalid': bad ? 'true' : undefined, value: app.state.fields[name] ?? '', spellcheck: 'false', autocomplete: 'off', inputmode: 'decimal',
    placeholder: Number.isFinite(now) && at(o, 'cost.payment') === 'rent' ? digits(now) : 'USD', oninput: (e: Event) => app.setField(name, (e.target as HTMLInputElement).value) });
}

const SHAPE = ['tp', 'pp', 'vpp', 'cp', 'ep', 'dp'];

function strategyOf(o: Doc): string {
  const s = (o.strategy ?? {}) as Doc;
  return [...SHAPE.filter(k => s[k] !== 1 && s[k] !== undefined).map(k => `${k} ${words(s[k])}`), `recompute ${words(s.recompute)}`].join(' · ');
}

// The product's cluster becomes the run's; a searched layout too.
function take(app: App, o: Doc, c: Column): Promise<void> {
  const cluster = c.node ? { node: c.node } : (app.state.run.cluster as Doc);
  let run: Doc = changed({ ...app.state.run, cluster: { ...cluster, gpus: num(o, 'gpus') } }, 'parallel.dp', undefined);
  if (app.state.fields.layouts === 'search') {
    run = changed(changed({ ...run, parallel: o.strategy as Doc }, 'parallel.dp', undefined), 'training.micro_batch', o.micro_batch);
  }
  return app.use(run);
}
