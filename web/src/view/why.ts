// SPDX-License-Identifier: Apache-2.0
//
// Why a number is what it is: its formula as a tree, down to values with their sources. Arrow keys
// walk the tree: right opens, left closes.
import { App } from '../app';
import { Tree, h } from '../dom';
import type { Doc, Json } from '../engine';
import { inUnit } from '../format';
import { words } from '../run';

export function whyView(app: App): Tree | null {
  const { metric, tree } = app.state;
  if (!metric) return null;
  return h('aside', { class: 'why', 'aria-label': 'Why' },
    h('header', null, h('h2', null, `Why ${metric}`),
      h('button', { type: 'button', class: 'clear', 'aria-label': 'close', onclick: () => app.set({ metric: undefined, tree: undefined }) }, '×')),
    tree ? [
      h('p', { class: 'dim' }, words(tree.meaning)),
      h('ul', { class: 'tree', role: 'tree', 'aria-label': metric, onkeydown: walk },
        node(app, nodesOf(tree), Number(tree.root), '/', true)),
    ] : h('p', { class: 'dim' }, 'No formula is recorded for this number.'));
}

function nodesOf(tree: Doc): Map<number, Doc> {
  return new Map(((tree.nodes ?? []) as Doc[]).map(n => [Number(n.id), n]));
}

// A path of ids tells the places of one node in the tree apart.
function node(app: App, nodes: Map<number, Doc>, id: number, path: string, first = false): Tree {
  const n = nodes.get(id) ?? {};
  const children = ((n.children ?? []) as Json[]).map(Number);
  const open = app.state.opened.has(path);
  const toggle = () => {
    const opened = new Set(app.state.opened);
    if (!opened.delete(path)) opened.add(path);
    app.set({ opened });
  };
  return h('li', { key: path, role: 'treeitem', tabindex: first ? 0 : -1, 'data-path': path,
    'aria-expanded': children.length ? String(open) : undefined,
    onclick: (e: Event) => { e.stopPropagation(); if (children.length) toggle(); } },
    h('span', { class: 'term' }, h('span', { class: 'turn', 'aria-hidden': 'true' }, children.length ? (open ? '▾' : '▸') : ''),
      h('span', null, words(n.name) || 'sum'), ' ', h('b', null, inUnit(Number(n.value), words(n.unit)))),
    n.formula ? h('span', { class: 'formula' }, `= ${words(n.formula)}`) : null,
    n.source ? source(words(n.source)) : null,
    children.length && open ? h('ul', { role: 'group' }, children.map((c, i) => node(app, nodes, c, `${path}${c}.${i}/`))) : null);
}

function source(text: string): Tree {
  const mark = /\[(assumed|fitted|measured|derived|announced|from memory)[^\]]*\]|^(default|derived|chosen|open)\b/.exec(text);
  return h('span', { class: 'source' }, mark ? h('em', null, mark[0].replace(/[[\]]/g, '')) : null, mark ? ' ' : '',
    mark ? text.replace(mark[0], '').replace(/^[:\s]+/, '') : text);
}

function walk(e: KeyboardEvent): void {
  const tree = e.currentTarget as HTMLElement;
  const items = Array.from(tree.querySelectorAll<HTMLElement>('[role=treeitem]'));
  const here = (e.target as HTMLElement).closest<HTMLElement>('[role=treeitem]');
  if (!here) return;
  const i = items.indexOf(here), open = here.getAttribute('aria-expanded');
  const to: Record<string, () => HTMLElement | null | undefined> = {
    ArrowDown: () => items[i + 1],
    ArrowUp: () => items[i - 1],
    Home: () => items[0],
    End: () => items[items.length - 1],
    ArrowRight: () => (open === 'true' ? items[i + 1] : (open === 'false' && here.click(), null)),
    ArrowLeft: () => (open === 'true' ? (here.click(), null) : here.parentElement?.closest<HTMLElement>('[role=treeitem]')),
    Enter: () => (open && here.click(), null),
    ' ': () => (open && here.click(), null),
  };
  if (!to[e.key]) return;
  e.preventDefault();
  const next = to[e.key]();
  if (!next) return;
  for (const item of items) item.tabIndex = item === next ? 0 : -1;
  next.focus();
}
