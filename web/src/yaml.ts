// SPDX-License-Identifier: Apache-2.0
//
// YAML for the engine, which has no parser in the page: lines of `key: JSON`, in which {"": word}
// stands for a plain word, so that the engine alone says what type a word has (src/exchange/yaml.h).
import { isAlias, isMap, isScalar, isSeq, parseDocument, Scalar, type Document, type Node } from 'yaml';
import type { Doc, Json } from './engine';

const DEEPEST = 64;
const MOST_VALUES = 200_000;

class Reading {
  private values = 0;

  constructor(private readonly document: Document) {}

  value(node: unknown, depth: number): Json {
    if (depth > DEEPEST || ++this.values > MOST_VALUES) throw new Error('more levels or values than are read');
    if (isAlias(node)) return this.value(node.resolve(this.document), depth + 1);
    if (isSeq(node)) return node.items.map(each => this.value(each, depth + 1));
    if (isMap(node)) return this.mapping(node.items, depth);
    if (!isScalar(node)) return { '': '' };
    const text = String(node.source ?? node.value ?? '');
    return node.type === Scalar.PLAIN && !node.tag ? { '': text } : text;
  }

  // Keys of a mapping win over those it merges (<<), and of those the first.
  private mapping(items: { key: unknown; value: unknown }[], depth: number): Doc {
    const own: Doc = {};
    const merged: Doc = {};
    for (const { key, value } of items) {
      const name = isScalar(key) ? String(key.source ?? key.value) : '?';
      const read = this.value(value, depth + 1);
      if (name === '<<') Object.assign(merged, ...(Array.isArray(read) ? read : [read]).reverse(), { ...merged });
      else own[name] = read;
    }
    return { ...merged, ...own };
  }
}

// The text as it is where it is no YAML mapping.
export function forEngine(text: string): string {
  if (!/^(?:[ \t]*(?:#.*|%.*|---.*)?\r?\n)*[\w.\/-]+[ \t]*:(?:[ \t\r\n]|$)/.test(text)) return text;
  try {
    const document = parseDocument(text, { version: '1.1', schema: 'failsafe', uniqueKeys: false });
    if (document.errors.length || !isMap(document.contents)) return text;
    const whole = new Reading(document).value(document.contents as Node, 0) as Doc;
    return Object.entries(whole)
      .map(([key, value]) => `${/^[\w.\/-]+$/.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(value)}\n`).join('');
  } catch {
    return text;
  }
}
