// SPDX-License-Identifier: Apache-2.0
//
// Look inside: the network from a GPU to all of them with what runs over each tier, and the
// communication of a step by dimension.
import type { App } from '../app';
import { colourOf } from '../chart';
import { Tree, h } from '../dom';
import type { Doc, Json } from '../engine';
import { digits, percent, seconds, si } from '../format';
import { at, isDoc, words } from '../run';

// A dimension has the colour and the name of the term that waits for it; experts' own groups are named by their key.
const TERMS: Record<string, string> = { etp: 'ep_exposed', edp: 'dp_exposed', embedding: 'pp_exposed' };
const termOf = (id: string): string => TERMS[id] ?? `${id}_exposed`;
const nameOf = (app: App, id: string): string => (TERMS[id] ? id : app.tables.label(`breakdown_s.${termOf(id)}`));

interface Traffic { id: string; bytes: number; time: number; exposed: number; tiers: Set<string> }

export function trafficOf(answer: Doc): Traffic[] {
  const all = new Map<string, Traffic>();
  for (const m of (answer.communication ?? []) as Doc[]) {
    const id = words(m.dimension);
    const t = all.get(id) ?? { id, bytes: 0, time: 0, exposed: 0, tiers: new Set<string>() };
    t.bytes += Number(m.bytes_per_gpu);
    t.time += Number(m.time_s);
    t.exposed += Number(m.exposed_s);
    t.tiers.add(words(m.tier));
    all.set(id, t);
  }
  return [...all.values()].sort((a, b) => b.time - a.time);
}

export function trafficView(app: App, answer: Doc): Tree | null {
  const rows = trafficOf(answer), step = Number(answer.step_time_s);
  if (rows.length === 0) return null;
  const time = rows.reduce((sum, r) => sum + r.time, 0), exposed = rows.reduce((sum, r) => sum + r.exposed, 0);
  const most = Math.max(...rows.map(r => r.time)), wide = 760, high = 26, left = 150, right = wide - 290;
  const x = (t: number) => left + (t / most) * (right - left);
  return h('figure', null,
    h('figcaption', null, `A GPU talks for ${seconds(time)} of the step of ${seconds(step)}, and waits for ${seconds(exposed)} of it`),
    h('svg', { viewBox: `0 0 ${wide} ${rows.length * high + 4}`, role: 'img', class: 'plot', 'aria-label':
      rows.map(r => `${nameOf(app, r.id)}: ${si(r.bytes, 'B')}, ${seconds(r.time)}, ${seconds(r.exposed)} exposed`).join('; ') },
      rows.map((r, i) => {
        const y = i * high + 4, name = nameOf(app, r.id), colour = colourOf(termOf(r.id));
        return [
          h('text', { x: left - 8, y: y + 13, 'text-anchor': 'end' }, name),
          h('rect', { x: left, y, width: Math.max(0, x(r.time) - left), height: 18, class: `fill${colour} faint` }),
          h('rect', { x: left, y, width: Math.max(0, x(r.exposed) - left), height: 18, class: `fill${colour}` }),
          h('text', { x: right + 8, y: y + 13, class: 'dim' }, `${si(r.bytes, 'B')}, ${seconds(r.time)}, exposed ${r.time > 0 ? percent(r.exposed / r.time) : '–'}`)];
      })),
    h('p', { class: 'dim' }, 'Pale: hidden behind compute. Full: the step is longer by it.'));
}

export interface Tier { name: string; devices: number; bandwidth: string }

// The tiers of a node's document; the last one joins all GPUs.
export function tiersOf(node: Json | undefined, gpus: number): Tier[] {
  const tiers = isDoc(node) && Array.isArray(node.tiers) ? node.tiers.filter(isDoc) : [];
  const found: Tier[] = [];
  for (const t of tiers) {
    const size = Math.min(gpus, Number(t.size ?? gpus));
    const links = Number(t.links ?? 1);
    const speed = `${words(t.bandwidth)}${links > 1 ? ` in ${links} links` : ''}`;
    if (size > (found[found.length - 1]?.devices ?? 1)) found.push({ name: words(t.name), devices: size, bandwidth: speed });
    if (size >= gpus) break;
  }
  return found;
}

const MOST = 12; // boxes in a row

export function topologyView(app: App, answer: Doc, node: Json | undefined): Tree | null {
  const gpus = Number(at(answer.inputs, 'cluster.gpus') ?? 0), name = words(at(answer.inputs, 'cluster.node'));
  const tiers = tiersOf(node, gpus);
  if (tiers.length === 0) return null;
  const traffic = trafficOf(answer);
  const over = (t: Tier) => traffic.filter(r => r.tiers.has(t.name));
  const wide = 760, row = 84, high = tiers.length * row + 34;
  const perNode = Number(isDoc(node) ? node.devices_per_node : NaN);
  const child = (k: number) => (k === 0 ? 'GPU' : tiers[k - 1].devices === perNode ? 'node' : `${tiers[k - 1].name} domain`);
  const caption = tiers.map((t, k) => `${digits(Math.ceil(t.devices / (tiers[k - 1]?.devices ?? 1)), 9)} ${child(k)}s over ${t.name}` +
    (over(t).length ? ` (${over(t).map(r => r.id).join(', ')})` : '')).join('; ');
  return h('figure', null,
    h('figcaption', null, `${digits(gpus, 9)} GPUs of ${name}: ${caption}`),
    h('svg', { viewBox: `0 0 ${wide} ${high}`, role: 'img', class: 'plot', 'aria-label': caption },
      tiers.map((t, k) => tierRow(app, t, k, Math.ceil(t.devices / (tiers[k - 1]?.devices ?? 1)), child(k), over(t), { wide, y: high - 34 - k * row }))));
}

// A switch as a bar with its children below it.
function tierRow(app: App, t: Tier, k: number, children: number, child: string, over: Traffic[], at_: { wide: number; y: number }): Tree[] {
  const left = 10, right = 470, shown = Math.min(MOST, children), step = (right - left) / shown, size = Math.min(24, step - 6), top = at_.y - 40;
  const boxes = Array.from({ length: shown }, (_, i) => {
    const x = left + step * (i + 0.5), gap = children > shown && i === shown - 2;
    if (gap) return h('text', { x, y: at_.y + size / 2 + 4, 'text-anchor': 'middle', class: 'dim' }, '…');
    return h('g', null,
      h('line', { x1: x, x2: x, y1: top + 14, y2: at_.y, class: 'axis' }),
      h('rect', { x: x - size / 2, y: at_.y, width: size, height: size, rx: 3, class: k === 0 ? 'plain' : 'pale' }));
  });
  return [
    h('g', null, boxes,
      h('rect', { x: left, y: top, width: right - left, height: 14, rx: 3, class: 'chosen' }),
      h('text', { x: right + 14, y: top + 11, class: 'name' }, `${t.name}, ${t.bandwidth} a ${child}`),
      over.map((r, i) => [
        h('rect', { x: right + 14, y: top + 20 + i * 17, width: 10, height: 10, rx: 2, class: `fill${colourOf(termOf(r.id))}` }),
        h('text', { x: right + 29, y: top + 29 + i * 17, class: 'dim' }, `${nameOf(app, r.id)}, ${si(r.bytes, 'B')}, ${seconds(r.time)}`)]),
      h('text', { x: left, y: at_.y + size + 14, class: 'dim' }, `${digits(children, 9)} ${child}${children > 1 ? 's' : ''}`))];
}
