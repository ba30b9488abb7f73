// SPDX-License-Identifier: Apache-2.0
//
// The state in the address: #r= and the run file, deflated, in base64url, behind the version of its
// shape. Nothing of it is trusted: too long or broken is refused in a line.
import { inflate } from './engine';
import type { Doc, Json } from './engine';
import { isDoc } from './run';

export const ADDRESS_VERSION = 1;
const MOST = 200_000;

export interface Shared {
  version: number; // of this shape
  schema: number;  // schema_version of the answers that the sender saw
  tool: string;
  run: Doc;
}

export async function toAddress(shared: Shared): Promise<string> {
  const plain = new Blob([JSON.stringify([shared.version, shared.schema, shared.tool, shared.run])]);
  const packed = await new Response(plain.stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer();
  const text = btoa(Array.from(new Uint8Array(packed), c => String.fromCharCode(c)).join(''));
  return '#r=' + text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

export async function fromAddress(hash: string): Promise<Shared | null> {
  const found = /^#r=([\w-]+)$/.exec(hash);
  if (!found) {
    if (hash.startsWith('#r=')) throw new Error('the address does not hold a run: it is cut or changed');
    return null;
  }
  if (found[1].length > MOST) throw new Error('the address is longer than any run file');
  let value: Json;
  try {
    const bytes = await inflate(found[1].replace(/-/g, '+').replace(/_/g, '/'), 20 * MOST);
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
  } catch {
    throw new Error('the address does not hold a run: it is cut or changed');
  }
  if (!Array.isArray(value) || value.length !== 4) throw new Error('the address holds something else than a run');
  const [version, schema, tool, run] = value;
  if (typeof version !== 'number' || typeof schema !== 'number' || typeof tool !== 'string' || !isDoc(run)) {
    throw new Error('the address holds something else than a run');
  }
  return { version, schema, tool, run };
}
