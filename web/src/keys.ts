// SPDX-License-Identifier: Apache-2.0
//
// The tables of keys, metrics and names, as the engine lists them. The form is made from them.
import type { Doc, Engine } from './engine';

export interface Key {
  path: string;
  kind: string;
  values: string;
  default: string;
  choices: string[];
  list: string; // of `orrery list`, of whose names it may be one
  flag: string;
  meaning: string;
}
export interface Metric { key: string; unit: string; label: string; meaning: string }

export class Tables {
  readonly keys: Map<string, Key>;
  readonly flags: Map<string, string>;
  readonly metrics: Map<string, Metric>;

  constructor(keys: Key[], metrics: Metric[], readonly names: Record<string, string[]>) {
    this.keys = new Map(keys.map(k => [k.path, k]));
    this.flags = new Map(keys.filter(k => k.flag).map(k => [k.path, k.flag]));
    this.metrics = new Map(metrics.map(m => [m.key, m]));
  }

  // The last key of a path in words, until the tables are there.
  label(metric: string): string {
    return this.metrics.get(metric)?.label ?? metric.replace(/^.*\.|_gib$/g, '').replace(/_/g, ' ');
  }

  // The words that a key may have, where they can be counted.
  choices(key: Key): string[] {
    return this.names[key.list] ?? key.choices;
  }
}

// `names`: the words of the lists, as scripts/page puts them into the page.
export async function readTables(engine: Engine, names: Record<string, string[]>): Promise<Tables> {
  const list = async (what: string): Promise<Doc[]> => JSON.parse((await engine.call('list', { what })).text) as Doc[];
  const [keys, metrics] = await Promise.all(['keys', 'metrics'].map(list));
  return new Tables(keys.filter(k => k.document === 'run') as unknown as Key[], metrics as unknown as Metric[], names);
}
