// SPDX-License-Identifier: Apache-2.0
//
// The page as one file, or as a folder for a static host in which the engine is a file of its own:
// node web/bundle.mjs WASM OUTPUT [COMMIT]; an OUTPUT that ends with / is a folder. Scripts and styles
// are bundled by esbuild; the policy of the page allows these very scripts by their digests and nothing else.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const [wasm, output, commit = ''] = process.argv.slice(2);
const folder = output.endsWith('/');
const web = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const work = mkdtempSync(join(tmpdir(), 'orrery-page.'));

function bundled(entry, ...options) {
  const file = join(work, 'out');
  execFileSync('esbuild', [join(web, entry), '--bundle', '--minify', '--target=es2021', '--charset=utf8', ...options, `--outfile=${file}`],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, NODE_PATH: '/usr/share/nodejs' } });
  // An element ends at the first "</script".
  return readFileSync(file, 'utf8').trim().replace(/<\/(script|style)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
}

const runs = join(web, '../configs/runs');
const presets = readdirSync(runs).filter(f => f.endsWith('.json')).sort()
  .map(f => [f.replace(/\.json$/, ''), readFileSync(join(runs, f), 'utf8')]);
async function imported(source) {
  const file = join(work, source.replace('.ts', '.mjs'));
  execFileSync('esbuild', [join(web, 'src', source), '--bundle', '--format=esm', '--log-level=error', `--outfile=${file}`]);
  return import(pathToFileURL(file).href);
}
const { WasmEngine } = await imported('wasm.ts');
const { parted, joined } = await imported('parted.ts');
const engine = new WasmEngine(new WebAssembly.Module(readFileSync(wasm)), () => 0);
const published = JSON.parse(readFileSync(join(web, 'published.json'), 'utf8'));
// The choices of a form: the engine would read every one of its configs to name them.
const names = Object.fromEntries(['models', 'nodes', 'frameworks', 'compressions']
  .map(what => [what, JSON.parse(engine.call('list', JSON.stringify({ what })).text).map(d => d.name)]));
// The questions of the gallery with what their pictures show.
const questions = JSON.parse(readFileSync(join(web, 'questions.json'), 'utf8')).map(q => {
  const answer = engine.call('estimate', JSON.stringify({ run: q.run }));
  if (answer.error) throw new Error(`web/questions.json, ${q.question}: ${answer.error}`);
  const { step_time_s: step, memory } = JSON.parse(answer.text), short = x => Number(x.toPrecision(4));
  return { ...q, step: short(step), fit: memory.fit, probability: short(memory.fit_probability), peak: short(memory.peak_gib), capacity: short(memory.capacity_gib),
    lines: Object.fromEntries(Object.entries(memory.lines).map(([key, v]) => [key, short(v)])) };
});
const plain = value => JSON.stringify(value).replace(/</g, '\\u003c');
const records = Buffer.concat(parted(new Uint8Array(readFileSync(wasm))));
const again = await new Response(joined(new Blob([records]).stream())).arrayBuffer();
if (!readFileSync(wasm).equals(Buffer.from(again))) throw new Error(`${wasm}: web/src/parted.ts does not give it back`);
// A checksum that the reader of web/src/worker.ts knows.
const packed = execFileSync('xz', ['--format=xz', '--check=crc32', '--lzma2=preset=9e,lc=2,lp=0,pb=0,dict=8MiB', '--stdout'], { input: records, maxBuffer: 1 << 28 });
const script = bundled('src/main.ts', '--format=iife');
const style = bundled('page-all.css', '--loader:.css=css');
// A new engine has a new name, so that it may be cached for ever.
const engineFile = `orrery-${createHash('sha256').update(readFileSync(wasm)).digest('hex').slice(0, 12)}.wasm`;
const digest = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const parts = {
  POLICY: [...(folder ? ["connect-src 'self'"] : []), "default-src 'none'", `script-src ${digest(script)} 'wasm-unsafe-eval'`, `style-src ${digest(style)}`, 'worker-src blob:', 'img-src data: blob:',
    "base-uri 'none'", "form-action 'none'"].join('; '),
  STYLE: style,
  COMMIT: commit.replace(/[^\w.-]/g, ''),
  FILE: folder ? engineFile : '',
  ENGINE: folder ? '' : packed.toString('base64'),
  WORKER: bundled('src/worker.ts', '--format=iife'),
  PRESETS: plain(presets),
  NAMES: plain(names),
  PUBLISHED: plain(published),
  QUESTIONS: plain(questions),
  SCRIPT: script,
};
const page = readFileSync(join(web, 'page.html'), 'utf8').replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
if (folder) {
  mkdirSync(output, { recursive: true });
  copyFileSync(wasm, join(output, engineFile));
}
writeFileSync(folder ? join(output, 'index.html') : output, page);
rmSync(work, { recursive: true });
console.log(`${output}: ${page.length} bytes, ${gzipSync(page, { level: 9 }).length} packed; the engine ${packed.length}`);
