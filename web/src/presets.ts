// SPDX-License-Identifier: Apache-2.0
//
// The shipped runs as they are written. scripts/page puts them into the page as a data block.
import type { Doc } from './engine';
import { withoutComments } from './run';

export interface Preset { name: string; about: string; run: Doc }

export const PRESETS: Preset[] = [];

export function readPresets(texts: [string, string][]): void {
  for (const [name, text] of texts) {
    const about = /^(\/\/[^\n]*\n)+/.exec(text)?.[0].replace(/^\/\/ ?/gm, '').replace(/\n/g, ' ').trim() ?? '';
    const run = JSON.parse(withoutComments(text)) as Doc;
    PRESETS.push({ name, about, run });
  }
}
