// SPDX-License-Identifier: Apache-2.0
//
// Parts that the views below the answer share: a box whose text the state keeps, how far work is.
import type { App, Work } from '../app';
import { Tree, h } from '../dom';
import type { Doc } from '../engine';
import { digits, percent } from '../format';

export interface Box { name: string; label: string; start?: string; about?: string; bad?: boolean }

export function box(app: App, { name, label, start = '', about = '', bad = false }: Box): Tree {
  return h('label', { class: `box${bad ? ' bad' : ''}`, title: about }, h('span', null, label),
    h('input', { value: app.state.fields[name] ?? start, spellcheck: 'false', autocomplete: 'off', placeholder: about, 'aria-invalid': bad ? 'true' : undefined,
      oninput: (e: Event) => app.setField(name, (e.target as HTMLInputElement).value) }));
}

export const field = (app: App, name: string, start = ''): string => (app.state.fields[name] ?? start).trim();

export function progress(work: Work, unit = ''): Tree {
  const share = work.total > 0 ? work.done / work.total : undefined;
  return h('span', { role: 'status' },
    h('progress', { max: 1, value: share, 'aria-label': 'progress' }),
    share === undefined ? ' starting' : ` ${percent(share)} of ${digits(work.total, 9)} ${unit}`);
}

const documents = new WeakMap<object, Doc>();
export function parsed(answer: { text: string }): Doc {
  let doc = documents.get(answer);
  if (!doc) documents.set(answer, doc = JSON.parse(answer.text) as Doc);
  return doc;
}

export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
