// SPDX-License-Identifier: Apache-2.0
//
// The page in Chromium or Firefox: its answers are those of the program byte for byte, and each journey shows what
// a person would read.
//
//   node --test tests/browser/pages.test.mjs
//   ORRERY, PAGE: the program and the page (build/orrery, build-page/page.html); BROWSER: chromium or
//   firefox; AXE: axe.min.js of axe-core, without it the test of accessibility is left out; SHOTS: a
//   folder for pictures; SITE: the folder of scripts/page --folder, without it that test is left out.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Chromium } from './chromium.mjs';
import { Firefox } from './firefox.mjs';

const ORRERY = resolve(process.env.ORRERY ?? 'build/orrery');
const URL_OF = file => pathToFileURL(resolve(file)).href;
const PAGE = URL_OF(process.env.PAGE ?? 'build-page/page.html');
const RUNS = readdirSync('configs/runs').map(f => f.replace('.json', ''));
const TABS = ['answer', 'search', 'limits', 'capacity', 'sweep', 'timeline', 'compare', 'take'];

const IN_FIREFOX = process.env.BROWSER === 'firefox';
let browser;
before(async () => { browser = await (IN_FIREFOX ? Firefox : Chromium).start(); });
after(() => browser.stop());

async function opened(hash = '', options = {}, url = PAGE) {
  const page = await browser.open(url + hash, options);
  await page.until('document.documentElement.dataset.ready && orrery.state.answer');
  await page.until('document.querySelector("#key-parallel-tp")');
  await drawn(page);
  return page;
}

// A page for one test; what the console or the policy complained of fails it.
async function on(work, hash, options, url) {
  const page = await opened(hash, options, url);
  await work(page);
  assert.deepEqual(await page.complaints(), []);
  await page.close();
}

const cli = (...args) => new Promise((done, failed) => execFile(ORRERY, [...args, '--config-dir', '-'], { maxBuffer: 1 << 28 },
  (error, out, err) => (error && ![2, 3].includes(error.code) ? failed(error) : done(out || err))));
const text = (page, selector) => page.run(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`);
const press = (page, label) => page.until(`[...document.querySelectorAll('button')].some(b => (b.ariaLabel || b.innerText) === ${JSON.stringify(label)} && (b.click(), true))`);
const drawn = page => page.run('new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))');
async function settled(page) {
  await drawn(page);
  await page.until('!orrery.app.busy && (orrery.state.wrong || orrery.state.asking.length > 0 || orrery.state.of === orrery.state.run)');
  await drawn(page);
}

// A question for every command that the page offers; search and sweep are asked once, below.
const ASKED = [['estimate', {}], ['simulate', {}], ['explain', { metric: 'step_time_s' }, 'step_time_s'],
  ['capacity', { tokens: 1e12, prices: 'market-2026' }, '--tokens', '1000000000000', '--prices', 'market-2026'],
  ...['run', 'megatron', 'deepspeed', 'torchtitan-toml', 'bridge', 'accelerate', 'sbatch'].map(as => ['export', { as }, '--as', as])];
const written = run => readFileSync(`configs/runs/${run}.json`, 'utf8');
const plain = run => written(run).replace(/^\s*\/\/.*$/gm, '');
const called = (page, command, request) => page.run(`orrery.call('${command}', ${request}).then(a => a.text || 'error: ' + a.error + String.fromCharCode(10))`);

test('answers for every shipped run and command are the bytes of the program', { timeout: 900_000 }, () => on(async page => {
  for (const run of RUNS) {
    const file = await page.run(`JSON.parse(document.getElementById('presets').textContent).find(p => p[0] === '${run}')[1]`);
    assert.equal(file, written(run));
    for (const [command, more, ...flags] of ASKED) {
      // The page sends the run itself, so that no file stands as a source or gives its name.
      const wanted = (await cli(command, run, ...flags, '--json')).replaceAll(`configs/runs/${run}.json`, 'run').replaceAll(`": "${run}"`, '": "run"').replaceAll(`${run}.json`, 'run');
      const got = await called(page, command, `{run: ${plain(run)}, ...${JSON.stringify(more)}}`);
      // A command to type names the run, or, where it has no name, all its keys.
      const bare = answer => answer.replace(/"command": "(?:[^"\\]|\\.)*"/g, '"command"');
      assert.ok(bare(got) === bare(wanted), `${command} ${run}: ${got.length} bytes here, ${wanted.length} there`);
    }
  }
}));

test('a first visit is answered, and soon', () => on(async page => {
  const ready = Number(await page.run('document.documentElement.dataset.ready'));
  console.log(`first answer after ${ready} ms`);
  assert.match(await text(page, '.headline'), /fits, over 99[\s\S]*a step[\s\S]*MFU[\s\S]*tokens a day/);
  assert.match(await text(page, '.judgement'), /Limit/);
  // Days and money of a number of tokens that the page says it took.
  await page.until('orrery.state.cost');
  await drawn(page);
  assert.match(await text(page, '.headline'), /1.T tokens \(no number is set\): [\d.]+.days[\s\S]*USD/);
}));

test('a step of reinforcement learning is answered by phase', () => on(async page => {
  await page.run(`orrery.app.use(${plain('grpo-llama-3-8b-16-h100-async')})`);
  await settled(page);
  assert.match(await text(page, '.headline'), /a step[\s\S]*tokens\/s[\s\S]*async/);
  const answer = await text(page, '#panel .answer');
  for (const words of ['The step by phase', 'generate', 'update', 'Memory of the fullest GPU by phase', 'handover']) {
    assert.ok(answer.includes(words), words);
  }
  assert.match(await text(page, 'form.run'), /Reinforcement learning[\s\S]*prompts[\s\S]*Generator[\s\S]*Placement/);
  const { step_time_s } = await page.run('orrery.state.answer');
  await page.run("orrery.app.setKey('placement.rollout_gpus', 4)");
  await settled(page);
  assert.ok((await page.run('orrery.state.answer')).step_time_s > step_time_s);
}));

test('risk is said in the words of the program', () => on(async page => {
  const seen = new Set(), run = 'llama-3-8b-8-h100';
  for (const length of [8192, 18432, 20480, 22528, 40960]) {
    const said = (await cli('estimate', run, '--set', `training.sequence_length=${length}`)).replace(/\n {10,}/g, ' ');
    const [, fit, probability] = /^memory +(.+?): .*; probability of fitting (.+ %)$/m.exec(said);
    await page.run(`orrery.app.use({...${plain(run)}}).then(() => orrery.app.setKey('training.sequence_length', ${length}))`);
    await settled(page);
    assert.equal((await text(page, '.headline .risk')).replace(/\u202f/g, ' '), `${fit}, ${probability}`);
    seen.add(fit);
  }
  assert.deepEqual([...seen], ['fits', 'likely', 'tight', 'unlikely', 'does not fit']);
}));

test('the ranges of the headline are those of the answer', () => on(async page => {
  // By a stack so fast the upper end would lie above the peak.
  await page.run("orrery.app.setKey('stack', {factor: 0.5, spread: 0.2})");
  await settled(page);
  const { mfu, tokens_per_s } = await page.run('orrery.state.answer.interval_80');
  assert.equal(mfu[1], 1);
  const shown = (await text(page, '.headline')).replace(/\u202f/g, ' '), digits = x => x.toPrecision(3), day = 86400e-9;
  assert.ok(shown.includes(`(${digits(100 * mfu[0])} % to 100 %) MFU`), shown);
  assert.ok(shown.includes(`(${digits(tokens_per_s[0] * day)} G to ${digits(tokens_per_s[1] * day)} G) tokens a day`), shown);
}));

test('time to train is the answer’s, and that of capacity', () => on(async page => {
  await page.run("orrery.app.setKey('training.tokens', 15e12)");
  await settled(page);
  await page.until('orrery.state.cost');
  const { training } = await page.run('orrery.state.answer'), days = Math.round(training.time_s / 86400);
  assert.match((await text(page, '.headline')).replace(/\u202f(?=\d)/g, ''), new RegExp(`15\\WT tokens: ${days}\\Wdays`));
  const [phase] = (await page.run('orrery.state.cost')).time.phases;
  assert.equal(training.steps, phase.steps);
}));

test('a slider moves the answer', () => on(async page => {
  const times = await page.run(`(async () => {
    const times = [];
    for (let i = 0; i < 50; i++) {
      const slider = document.querySelector('input[type=range][aria-label="global batch"]');
      const headline = document.querySelector('.headline'), before = headline.textContent, from = performance.now();
      const changed = new Promise(r => new MutationObserver((_, o) => { if (headline.textContent !== before) { o.disconnect(); r(performance.now()); } })
        .observe(headline, {subtree: true, childList: true, characterData: true}));
      slider.value = String(5 + i % 2); slider.dispatchEvent(new Event('input', {bubbles: true}));
      times.push(await changed - from);
      await new Promise(r => setTimeout(r, 20));
    }
    return times.sort((a, b) => a - b);
  })()`);
  console.log(`slider to the new number: median ${times[25].toFixed(1)} ms, longest ${times[49].toFixed(1)} ms`);
}));

test('the form: an arrow key on a slider, a wrong value marks its control and keeps the last answer', () => on(async page => {
  await page.run('document.querySelector("input[type=range][aria-label=\\"tensor, tp\\"]").focus()');
  await page.press('ArrowRight');
  await settled(page);
  assert.equal(await page.run('orrery.state.run.parallel.tp'), 2);
  await page.run('{ const box = document.querySelector("#key-cluster-gpus"); box.focus(); box.select(); }');
  await page.type('7.5');
  await settled(page);
  assert.equal(await text(page, '[role=alert] .error'), 'run: cluster.gpus: found 7.5; allowed: a whole number from 1 to 100000000');
  assert.equal(await page.run('document.querySelector("#key-cluster-gpus").getAttribute("aria-invalid")'), 'true');
  assert.match(await text(page, '.stale .headline'), /a step/);
  assert.match(await page.run('document.querySelector("#key-parallel-schedule").textContent'), /default/);
}));

test('a key of few values is chosen from them, any other is typed', () => on(async page => {
  const choices = path => page.run(`orrery.app.tables.choices(orrery.app.tables.keys.get('${path}'))`);
  assert.deepEqual(await choices('training.flash_attention'), ['true', 'false']);
  assert.deepEqual(await choices('parallel.zero'), ['0', '1', '2', '3']);
  assert.deepEqual(await choices('parallel.recompute'), ['none', 'selective', 'full']);
  assert.ok((await choices('parallel.schedule')).includes('zb-h1'));
  assert.ok((await choices('cluster.node')).includes('dgx-h100'));
  for (const path of ['parallel.dp', 'parallel.tp', 'stack.spread', 'training.adapter.targets']) assert.deepEqual(await choices(path), []);
}));

test('advice applies itself', () => on(async page => {
  await page.run(`orrery.app.use(${plain('llama-3-70b-64-h100')})`);
  await settled(page);
  const before = await page.run('orrery.state.answer.step_time_s');
  await page.run('document.querySelector(".advice button").click()');
  await settled(page);
  assert.ok(await page.run('orrery.state.answer.step_time_s') < before);
}));

test('a number opens its formula, and the arrow keys walk to a source', () => on(async page => {
  await page.run('document.querySelector(".headline button.number").click()');
  await page.until('document.querySelector("[role=treeitem]")');
  await page.run('document.querySelector("[role=treeitem]").focus()');
  for (let i = 0; i < 400 && !(await page.run('!!document.activeElement.querySelector(":scope > .source")')); i++) await page.press('ArrowRight'), await page.run('new Promise(requestAnimationFrame)');
  assert.match(await page.run('document.activeElement.innerText'), /\w/);
  assert.match(await page.run('[...document.querySelectorAll(".source")].map(e => e.innerText).join()'), /model and strategy|assumed|github|arXiv|\w/);
}));

test('every part of the two bars opens the formula of its own number', () => on(async page => {
  // A step of reinforcement learning has phases in their place.
  for (const run of RUNS.filter(r => !/"rl":/.test(written(r)))) {
    await page.run(`orrery.app.use(${plain(run)})`);
    await settled(page);
    const parts = await page.run(`(async () => {
      const parts = [];
      for (const part of document.querySelectorAll('.answer .legend li')) {
        const button = part.querySelector('button.number');
        if (!button) { parts.push([part.innerText]); continue; }
        orrery.app.set({ metric: undefined, tree: undefined });
        button.click();
        while (!orrery.state.tree) await new Promise(requestAnimationFrame);
        const { tree, metric, answer } = orrery.state, root = tree.nodes.find(n => n.id === tree.root).value;
        parts.push([metric, root, metric.split('.').reduce((d, k) => d[k], answer), part.childNodes[1].textContent.trim(), orrery.app.tables.metrics.get(metric).label]);
      }
      return parts;
    })()`);
    assert.ok(parts.length >= 8, `${run}: ${parts.length} parts`);
    const [drawn_, wanted] = await page.run(`(a => [[...document.querySelectorAll('.answer figure svg.stack:not(.low)')].map(s => s.querySelectorAll('rect').length),
      [a.memory.lines, a.breakdown_s].map(sum => Object.values(sum).filter(v => v > 0).length)])(orrery.state.answer)`);
    assert.deepEqual(drawn_, wanted, run);
    for (const [metric, root, value, name, label] of parts) {
      assert.equal(name, label);
      assert.ok(typeof value === 'number' && Math.abs(root / value - 1) < 1e-9, `${run}: ${metric} is ${value}, its formula gives ${root}`);
    }
  }
}));

const paste = async (page, what) => {
  await page.run('document.activeElement.blur()');
  await page.press('/');
  await page.run(`{ const data = new DataTransfer(); data.setData('text', ${what}); const pasted = new ClipboardEvent('paste', {bubbles: true, cancelable: true});
    Object.defineProperty(pasted, 'clipboardData', {value: data}); document.activeElement.dispatchEvent(pasted); }`);
  await page.until('orrery.state.pasted');
  await settled(page);
  await page.run('new Promise(requestAnimationFrame)');
  return text(page, '.paste [role=status]');
};

// Values for what a pasted text leaves open.
const fill = async (page, values) => {
  for (const [path, value] of Object.entries(values)) await page.run(`orrery.app.setKey(${JSON.stringify(path)}, ${JSON.stringify(value)})`);
  await settled(page);
};

test('pasted: a Hugging Face config, a launch script, YAML; what they leave open is asked, not taken from the example', () => on(async page => {
  const config = '{"model_type":"llama","hidden_size":5120,"num_hidden_layers":40,"num_attention_heads":40,"intermediate_size":13824,"vocab_size":32000,"hidden_act":"silu"}';
  assert.match(await paste(page, JSON.stringify(config)), /understood 7 keys, still open: cluster.node, cluster.gpus, training.sequence_length, training.global_batch/);
  assert.match(await text(page, '.asking'), /4 things are still open[\s\S]*node[\s\S]*GPUs/);
  assert.equal(await page.run('document.querySelectorAll("form .row.asked").length'), 4);
  assert.ok(await page.run('!document.querySelector(".headline")'));
  await fill(page, { 'cluster.node': 'dgx-h100', 'training.sequence_length': 4096, 'training.global_batch': 64 });
  await press(page, 'the fewest GPUs of dgx-h100 that fit');
  await page.until('orrery.state.asking.length === 0 && orrery.state.answer.inputs.model.hidden_size === 5120', 120);
  await settled(page);
  assert.equal(await page.run('orrery.state.answer.memory.fit_probability >= 0.9'), true);
  const script = 'torchrun --nproc_per_node 8 --nnodes 4 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 128 --tensor-model-parallel-size 2 --bf16 --use-distributed-optimizer --vocab-size 32000 --foo-bar 3';
  await page.run(`orrery.app.use(${plain('llama-3-8b-8-h100')}, [], {})`);
  assert.match(await paste(page, JSON.stringify(script)), /understood \d+ keys, assumed \d+, 1 without equivalent, still open: cluster.node/);
  await fill(page, { 'cluster.node': 'dgx-a100-80gb' });
  assert.deepEqual(await page.run('(i => [i.parallel.tp, i.cluster.gpus, i.cluster.node])(orrery.state.answer.inputs)'), [2, 32, 'dgx-a100-80gb']);
  const yaml = 'trainer:\n  devices: 8\n  num_nodes: 8\n  precision: bf16\nmodel: # of NeMo\n  micro_batch_size: 1\n  global_batch_size: 128\n  tensor_model_parallel_size: 4\n  encoder_seq_length: 4096\n  max_position_embeddings: 4096\n  num_layers: 32\n  hidden_size: 4096\n  ffn_hidden_size: 11008\n  num_attention_heads: 32\n  sequence_parallel: no\n  optim: {name: distributed_fused_adam}\n';
  assert.match(await paste(page, JSON.stringify(yaml)), /understood \d+ keys/);
  assert.deepEqual(await page.run('(p => [p.tp, p.sequence_parallel])(orrery.state.run.parallel)'), [4, false]);
}));

test('pasted: a name of the hub, its address, GPUs by count', () => on(async page => {
  for (const name of ['meta-llama/Llama-3.1-70B', 'https://huggingface.co/meta-llama/Llama-3.1-70B']) {
    await page.run(`orrery.app.use(${plain('llama-3-8b-8-h100')}, [], {})`);
    await page.run(`{ const data = new DataTransfer(); data.setData('text', ${JSON.stringify(name)}); const pasted = new ClipboardEvent('paste', {bubbles: true, cancelable: true});
      Object.defineProperty(pasted, 'clipboardData', {value: data}); document.querySelector('#paste').dispatchEvent(pasted); }`);
    await page.until('orrery.state.asking.length === 4');
    await fill(page, { 'cluster.node': '8xA100', 'cluster.gpus': 64, 'training.sequence_length': 4096, 'training.global_batch': 64 });
    assert.deepEqual(await page.run('[orrery.state.wrong?.error ?? "", orrery.state.answer.inputs.cluster.node]'), ['', 'dgx-a100-80gb']);
  }
}));

test('pasted: a model of images is asked for their height, no sequence length', () => on(async page => {
  await page.run(`{ const data = new DataTransfer(); data.setData('text', 'flux.1-dev'); const pasted = new ClipboardEvent('paste', {bubbles: true, cancelable: true});
    Object.defineProperty(pasted, 'clipboardData', {value: data}); document.querySelector('#paste').dispatchEvent(pasted); }`);
  await page.until('orrery.state.asking.length > 0');
  assert.deepEqual(await page.run('orrery.state.asking'), ['cluster.node', 'cluster.gpus', 'training.global_batch', 'training.height']);
  await fill(page, { 'cluster.node': 'hgx-b200', 'cluster.gpus': 8, 'training.global_batch': 64, 'training.height': 512 });
  assert.equal(await page.run('orrery.state.wrong?.error ?? ""'), '');
}));

test('pasted: a log and an error message are diagnosed', () => on(async page => {
  const oom = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.16 GiB is free. Of the allocated memory 60.00 GiB is allocated by PyTorch, and 15.00 GiB is reserved by PyTorch but unallocated.';
  assert.match(await paste(page, JSON.stringify(oom)), /diagnosed/);
  assert.match(await text(page, '.diagnosis'), /in pieces[\s\S]*15\.00 GiB[\s\S]*expandable_segments/);
  await press(page, 'close the diagnosis');
  await page.run('orrery.state.pasted = undefined');
  const log = Array.from({ length: 12 }, (_, i) => ` iteration ${i + 1}/ 100 | consumed samples: ${128 * i} | elapsed time per iteration (ms): 5361.6 | throughput per GPU (TFLOP/s/GPU): 243.6 | global batch size: 128 |`).join('\n');
  await paste(page, JSON.stringify(log));
  assert.match(await text(page, '.diagnosis'), /Megatron-LM[\s\S]*5\.36/);
}));

test('a refused value offers those beside it that are answered', () => on(async page => {
  await page.run("orrery.app.setKey('parallel.tp', 3)");
  await page.until('orrery.state.legal.length === 2');
  await drawn(page);
  assert.deepEqual(await page.run('orrery.state.legal'), [2, 4]);
  assert.equal(await page.run('document.querySelector("#key-parallel-tp").getAttribute("aria-invalid")'), 'true');
  await press(page, 'use parallel.tp 4');
  await settled(page);
  assert.deepEqual(await page.run('[orrery.state.run.parallel.tp, orrery.state.wrong?.error ?? ""]'), [4, '']);
}));

test('a sweep calls no point least that does not fit', { timeout: 120_000 }, () => on(async page => {
  await page.run("orrery.app.setKey('training.sequence_length', 16384)");
  await settled(page);
  await page.run("orrery.app.set({tab: 'sweep'}), Object.assign(orrery.state.fields, {axis: 'parallel.recompute', values: 'none, selective, full'})");
  await press(page, 'sweep');
  await page.until('orrery.state.works.sweep?.answer');
  await drawn(page);
  const rows = (await page.run('orrery.state.works.sweep.answer.text')).trim().split('\n').map(l => JSON.parse(l));
  const fits = rows.filter(r => ['fits', 'likely', 'tight'].includes(r.status));
  assert.ok(fits.length > 0 && fits.length < rows.length, JSON.stringify(rows.map(r => r.status)));
  const least = fits.reduce((a, b) => (a.step_time_s < b.step_time_s ? a : b));
  assert.match(await text(page, '#panel figcaption'), new RegExp(`is least, .*, at parallel.recompute ${least['parallel.recompute']}, which .*; hollow points are unlikely to fit`));
  assert.equal(await page.run('document.querySelectorAll("#panel circle.hollow").length'), rows.length - fits.length);
}));

test('the limits of a run, each with a button', { timeout: 240_000 }, () => on(async page => {
  await page.run('document.activeElement.blur()');
  await page.press('l');
  await page.until('document.activeElement.id === "tab-limits"');
  await press(page, 'find the limits');
  await page.until('orrery.state.works.limits?.answer', 200);
  await drawn(page);
  assert.match(await text(page, '#panel'), /longest sequence[\s\S]*tokens[\s\S]*fewest GPUs/);
  await press(page, 'use fewest GPUs, yours');
  await settled(page);
  assert.ok(await page.run('orrery.state.run.cluster.gpus') < 8);
}));

test('ten questions open as runs', () => on(async page => {
  await press(page, 'Ten real questions');
  await page.until('document.querySelectorAll(".gallery li").length === 10');
  assert.equal(await page.run('document.querySelectorAll(".gallery svg.stack").length'), 10);
  await page.run('document.querySelector(".gallery li button").click()');
  await settled(page);
  assert.equal(await page.run('orrery.state.wrong?.error ?? ""'), '');
  assert.equal(await page.run('orrery.state.run.cluster.node'), 'dgx-1-v100-32gb');
}));

test('verdict, days, tabs, share and export stand above the fold', () => on(async page => {
  await page.until('orrery.state.cost');
  await drawn(page);
  const lowest = await page.run(`Math.max(...[...document.querySelectorAll('.headline .large, .headline .second, [role=tablist], .top button')].map(e => e.getBoundingClientRect().bottom))`);
  assert.ok(lowest < 400, `${lowest} of 720`);
  assert.ok(await page.run("[...document.querySelectorAll('.top button')].map(b => b.innerText).join()").then(t => t.includes('share') && t.includes('export')));
}, '', { width: 1280 }));

// A text of each kind, and a value that it sets: [text, path of the resolved run, value].
const PASTED = {
  'YAML of Accelerate': ['compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: bf16 # half\nnum_machines: 2\nnum_processes: 16\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n', 'cluster.gpus', 16],
  'TOML of torchtitan': ['[training]\nseq_len = 4096\nlocal_batch_size = 2\n[parallelism]\ntensor_parallel_degree = 4\ndata_parallel_shard_degree = -1\n', 'parallel.tp', 4],
  'JSON of DeepSpeed': ['{"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "zero_optimization": {"stage": 2}, "bf16": {"enabled": true}}', 'parallel.zero', 2],
};
const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];
const TOPOLOGY = `\t${EIGHT.map(i => `GPU${i}`).join('\t')}\tNIC0\tCPU Affinity\n${EIGHT.map(i => `GPU${i}\t${EIGHT.map(k => (i === k ? ' X ' : 'NV12')).join('\t')}\tPXB\t0-31\n`).join('')}` +
  `NIC0\t${EIGHT.map(() => 'PXB').join('\t')}\t X \n\nLegend:\n\n  X    = Self\n`;

test('pasted: YAML, TOML, JSON, a topology', () => on(async page => {
  const start = await page.run('JSON.stringify(orrery.state.run)');
  for (const [kind, [pasted, path, wanted]] of Object.entries(PASTED)) {
    await page.run(`orrery.app.use(${start})`);
    const said = await paste(page, JSON.stringify(pasted));
    assert.match(said, /understood \d+ keys/, `${kind}: ${said}`);
    const found = await page.run(`'${path}'.split('.').reduce((d, k) => d?.[k], orrery.state.run)`);
    assert.equal(JSON.stringify(found), JSON.stringify(wanted), `${kind}: ${said}`);
  }
  await page.run(`orrery.app.use(${start})`);
  await paste(page, JSON.stringify(TOPOLOGY));
  assert.match(await text(page, '.paste ul'), /8 GPUs, NVLink through a switch, 12 links a GPU: nodes of this shape are/);
  await press(page, 'use dgx-a100-80gb');
  await settled(page);
  assert.equal(await page.run('orrery.state.run.cluster.node'), 'dgx-a100-80gb');
  assert.equal(await page.run('orrery.state.wrong?.error ?? ""'), '');
}));

test('published runs like this one, traffic by dimension and the network are drawn', () => on(async page => {
  await page.run("orrery.app.use({...orrery.state.run, cluster: {node: 'dgx-h100', gpus: 64}, parallel: {tp: 8, zero: 1}, framework: 'megatron-core'})");
  await settled(page);
  await page.until('orrery.state.node?.document');
  await page.run('document.querySelectorAll(".folds details").forEach(d => { d.open = true; })');
  await drawn(page);
  const folds = await text(page, '.folds');
  assert.match(folds, /\d+ published runs like this one: half of the predictions are within/);
  assert.match(folds, /Like this one: megatron-core on hopper, dense models\./);
  const like = await page.run("orrery.app.published.filter(r => r.framework === 'megatron-core' && r.stack.generation === 'hopper' && !r.stack.mixture).flatMap(r => r.errors).length");
  assert.ok(folds.includes(`${like} published runs like this one`), folds);
  assert.match(folds, /A GPU talks for .* of the step of .*, and waits for/);
  assert.match(folds, /64 GPUs of dgx-h100: 8 GPUs over nvswitch \(.*tp.*\); 8 nodes over infiniband/);
  assert.ok(await page.run('document.querySelectorAll(".folds circle").length') > 10);
}));

test('hostile text is shown as text, or refused in a line', () => on(async page => {
  const evil = '<img src=x onerror=window.hacked=1><script>window.hacked=1</script>';
  for (const what of [JSON.stringify(evil), JSON.stringify(JSON.stringify({ training: { [evil]: evil }, cluster: {}, name: evil })), '"[".repeat(100000)', '"x".repeat(5000000)',
    JSON.stringify('{"__proto__": {"a": 1}, "training": {}}')]) {
    await page.run('orrery.state.pasted = undefined');
    await paste(page, what);
    const said = await page.run(`orrery.state.pasted.error ?? orrery.state.wrong?.error ?? document.querySelector('.paste [role=status]').innerText`);
    assert.ok(said.length > 0 && !said.includes('\n') && said.length < 2000, said.slice(0, 200));
  }
  const run = { model: { name: evil, ...JSON.parse(await page.run('JSON.stringify(orrery.state.answer.inputs.model)')) }, cluster: { node: evil, gpus: 8 }, training: { sequence_length: 8, global_batch: 8 } };
  run.model.name = evil;
  for (const node of [evil, 'dgx-h100']) {
    run.cluster.node = node;
    await page.run(`orrery.app.use(${JSON.stringify(run)}, [${JSON.stringify(evil)}])`);
    await settled(page);
  }
  await page.run('new Promise(r => setTimeout(r, 100))');
  assert.equal(await page.run('window.hacked'), undefined);
  assert.equal(await page.run('document.querySelectorAll("img").length'), 0);
  assert.match(await text(page, '.note'), /<img src=x/);
}));

test('no script of a stranger runs', async () => {
  const page = await opened();
  const policy = await page.run('document.querySelector("meta[http-equiv]").content');
  assert.ok(!policy.includes('unsafe-inline') && policy.includes("default-src 'none'"), policy);
  await page.run('{ const s = document.createElement("script"); s.textContent = "window.hacked = 1"; document.body.append(s); }');
  assert.equal(await page.run('window.hacked'), undefined);
  await page.close();
});

test('search finds, shows and gives a strategy back, and stops at once', { timeout: 300_000 }, () => on(async page => {
  await page.run('document.activeElement.blur()');
  await page.press('s');
  await page.until('document.activeElement.id === "tab-search"');
  await press(page, 'search');
  await page.until('orrery.state.works.search?.answer', 240);
  await page.until('document.querySelector("#scatter circle")');
  assert.match(await text(page, '#panel'), /strategies in[\s\S]*dp 8/);
  await press(page, 'use strategy 2');
  await settled(page);
  assert.equal(await page.run('orrery.state.answer.step_time_s'), await page.run('JSON.parse(orrery.state.works.search.answer.text).best[1].step_time_s'));
  await press(page, 'search');
  await page.until('[...document.querySelectorAll("button")].some(b => b.innerText === "stop")');
  await press(page, 'stop');
  assert.equal(await page.run('orrery.state.works.search.engine'), undefined);
  assert.match(await text(page, '#panel'), /strategies in/);
}));

test('a search by several workers is the search of the program', { timeout: 400_000 }, () => on(async page => {
  for (const run of ['llama-3-8b-8-h100', 'mixtral-8x7b-64-h100']) {
    const page_of = join(mkdtempSync(join(tmpdir(), 'orrery-search.')), 'search.html');
    const wanted = JSON.parse(await cli('search', run, '--top', '12', '--json', '--html', page_of));
    await page.run(`orrery.app.use(${plain(run)})`);
    await settled(page);
    await page.run("orrery.app.set({tab: 'search'})");
    await press(page, 'search');
    await page.until('orrery.state.works.search?.answer && !orrery.state.works.search.engine', 180);
    const found = JSON.parse(await page.run('orrery.state.works.search.answer.text'));
    // The page sends the run itself, so that no file stands as a source.
    assert.deepEqual(found, JSON.parse(JSON.stringify(wanted).replaceAll(`"${run}.json"`, '"run"')));
    console.log(`${run}: ${found.candidates} strategies in ${Math.round(await page.run('orrery.state.works.search.took'))} ms by ${await page.run('navigator.hardwareConcurrency')} processors`);
  }
}));

test('the timeline of a step is drawn', { timeout: 120_000 }, () => on(async page => {
  await page.run('document.activeElement.blur()');
  await page.press('t');
  await press(page, 'play the step');
  await page.until('document.querySelector("#lanes")?.width > 300');
  const colours = await page.run(`(() => { const c = document.querySelector('#lanes'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; const seen = new Set();
    for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size; })()`);
  assert.ok(colours > 5, `${colours} colours`);
  assert.match(await text(page, '#panel'), /ritical/);
}));

test('pins are compared, a sweep is plotted', { timeout: 180_000 }, () => on(async page => {
  await page.run('document.activeElement.blur()');
  await page.press('p');
  await page.run("orrery.app.setKey('parallel.zero', 2)");
  await settled(page);
  await page.press('c');
  await page.until('document.activeElement.id === "tab-compare"');
  await drawn(page);
  assert.match(await text(page, '#panel table'), /parallel.zero\s+3\s+2/);
  await press(page, 'why do they differ');
  await page.until('document.querySelector("#panel pre")');
  assert.match(await text(page, '#panel pre'), /parallel.zero: 3 → 2/);
  await page.run("orrery.app.set({tab: 'sweep'})");
  await page.until('document.querySelector("#panel .boxes")');
  await press(page, 'sweep');
  await page.until('document.querySelectorAll("#panel circle").length >= 2');
}));

test('a pin holds the run of its answer, also while the engine works', { timeout: 60_000 }, () => on(async page => {
  // The key sets the run at once; its answer comes later.
  const pinned = await page.run(`(() => { orrery.app.setKey('parallel.zero', 2); orrery.app.pin();
    const { pins, run } = orrery.app.state, pin = pins[0];
    return [run.parallel.zero, pin.run.parallel.zero, pin.answer.inputs.parallel.zero]; })()`);
  assert.equal(pinned[0], 2);
  assert.equal(pinned[1], pinned[2]);
  assert.notEqual(pinned[1], 2);
}));

// The capacity view has answered what stands in it.
async function answered(page) {
  await drawn(page);
  await page.until('(w => w?.asked && !w.engine && w.asked === orrery.app.followed)(orrery.state.works.capacity)', 120);
  await drawn(page);
}
const change = (page, label, value) => page.run(`{ const box = [...document.querySelectorAll('#panel input, #panel select')].find(e => (e.ariaLabel || e.getAttribute('aria-label') || e.closest('label')?.innerText.trim().split('\\n')[0]) === ${JSON.stringify(label)});
  box.value = ${JSON.stringify(value)}; for (const kind of ['input', 'change']) box.dispatchEvent(new Event(kind, {bubbles: true})); }`);
// The cells of a row of the table of products, a text each.
const productRow = (page, title) => page.run(`[...[...document.querySelectorAll('.products tbody tr')].find(r => r.cells[0].innerText === ${JSON.stringify(title)}).cells].slice(1).map(c => c.innerText.trim())`);

// "1 024 GPUs" is 1024.
const whole = words => parseInt(words.replace(/(\d)\u202f(?=\d)/g, '$1'), 10);

async function changed(page, label, value) {
  const started = Date.now();
  await change(page, label, value);
  await answered(page);
  return Date.now() - started;
}

test('products stand side by side and follow what is asked of them', { timeout: 300_000 }, () => on(async page => {
  await page.run(`orrery.app.use(${plain('gpt3-175b-1024-a100')}).then(() => orrery.app.set({tab: 'capacity'}))`);
  await answered(page);
  const products = () => page.run("[...document.querySelectorAll('.products th select')].map(s => s.selectedOptions[0].innerText)");
  assert.deepEqual(await products(), ["dgx-a100-80gb, the run's", 'hgx-h200', 'hgx-b200', 'gb200-nvl72']);
  assert.match(await text(page, '.finding'), /^Cheapest that meets what is asked: \d+ GPUs of [\w-]+: [\d.]+.days, [\d.]+.k?.?USD, [\d.]+.kW\.$/);
  // The same as the program says of the same plan.
  const asked = JSON.parse(await page.run('orrery.state.works.capacity.of')), plan = join(browser.downloads, 'plan.json');
  writeFileSync(plan, JSON.stringify(asked.plan));
  const wanted = JSON.parse(await cli('capacity', plan, '--deadline', asked.deadline, '--json')), got = JSON.parse(await page.run('orrery.state.works.capacity.answer.text'));
  const bare = a => a.options.map(o => ({ ...o, assumptions: null }));
  assert.deepEqual(bare(got), bare(wanted));
  const gpus = await productRow(page, 'GPUs'), cost = await productRow(page, 'cost');
  assert.deepEqual(await productRow(page, 'meets'), ['● yes', '● yes', '● yes', '● yes']);
  const took = await changed(page, 'deadline', '30 d');
  console.log(`four products answered ${took} ms after the deadline changed`);
  const more = await productRow(page, 'GPUs');
  more.forEach((n, i) => assert.ok(whole(n) > whole(gpus[i]), `${n} for 30 days, ${gpus[i]} for 60`));
  await changed(page, 'rent of a GPU-hour, hgx-h200', '1');
  const cheap = await productRow(page, 'cost');
  assert.match(await text(page, '.finding'), /of hgx-h200/);
  assert.notEqual(cheap[1], cost[1]);
  // A wrong value: one line, the control marked, the last answer dimmed.
  await changed(page, 'deadline', '10');
  assert.match(await text(page, '#panel [role=alert]'), /a time above zero with its unit/);
  assert.equal(await page.run(`document.querySelector('#panel .box.bad span').innerText`), 'deadline');
  assert.ok(await page.run(`!!document.querySelector('#panel .stale .products')`));
  await changed(page, 'deadline', '60 d');
  await changed(page, 'power', '50 kW');
  (await productRow(page, 'meets')).forEach(said => assert.match(said, /^○ no\s+only \d+ GPUs tried: \d+ more draw too much$/));
  assert.match(await text(page, '.finding'), /^Nothing meets what is asked. Nearest: .*; draws [\d.]+ kW of 50 kW\.$/);
  await changed(page, 'power', '');
  await changed(page, 'add a product', 'dgx-h100');
  assert.equal((await products()).length, 5);
  await press(page, 'without gb200-nvl72');
  await answered(page);
  assert.equal((await products()).length, 4);
  await page.run(`[...document.querySelectorAll('#panel details')].find(d => /whole report/.test(d.innerText)).open = true`);
  await page.until('document.querySelector("#panel .document svg")');
  assert.match(await text(page, '#panel .document'), /Options, the cheapest first[\s\S]*Side by side/);
  await page.run(`orrery.app.fold('The whole report', false)`);
  const [, h200] = await productRow(page, 'GPUs');
  await press(page, 'use hgx-h200');
  await settled(page);
  assert.deepEqual(await page.run("[orrery.state.run.cluster.node, orrery.state.run.cluster.gpus, orrery.state.wrong?.error ?? '']"), ['hgx-h200', whole(h200), '']);
}));

test('a product whose layout was searched becomes the run', { timeout: 300_000 }, () => on(async page => {
  await page.run("orrery.app.set({tab: 'capacity'})");
  await answered(page);
  await changed(page, 'GPUs', '16');
  await press(page, 'without gb200-nvl72');
  await press(page, 'without hgx-b200');
  await changed(page, 'layouts', 'search');
  const [option] = await page.run("JSON.parse(orrery.state.works.capacity.answer.text).options.filter(o => o.scenario === 'hgx-h200')");
  await press(page, 'use hgx-h200');
  await settled(page);
  const step = await page.run('orrery.state.answer.step_time_s'), wanted = option.time.phases[0].step_time_s[1];
  assert.ok(Math.abs(step / wanted - 1) < 1e-9, `${step} s as a run, ${wanted} s as a product`);
}));

// Tab until the focus is on a control of that name, and seen.
async function tabTo(page, name, most = 150) {
  const here = `((e = document.activeElement) => e.ariaLabel || e.getAttribute('aria-label') || (e.labels && e.labels[0] && e.labels[0].innerText) || e.id || e.innerText)()`;
  for (let i = 0; i < most; i++) {
    if (await page.run(`${here} === ${JSON.stringify(name)}`)) {
      assert.ok(await page.run('document.activeElement.matches(":focus-visible")'), `${name} shows no focus`);
      return;
    }
    await page.press('Tab');
  }
  assert.fail(`no way by Tab to ${name}; at ${await page.run(here)}`);
}
const pressOn = async (page, name) => { await tabTo(page, name); await page.press('Enter'); };

test('by keyboard alone: a run is pasted, changed, explained and taken away', { timeout: 180_000 }, () => on(async page => {
  await page.press('/');
  await page.type('{"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"intermediate_size":11008,"vocab_size":32000,"hidden_act":"silu"}');
  await page.press('Tab');
  await page.until('orrery.state.pasted?.understood === 7');
  await fill(page, { 'cluster.node': 'dgx-h100', 'training.sequence_length': 8192, 'training.global_batch': 80 });
  await tabTo(page, 'GPUs');
  await page.type('80');
  await settled(page);
  assert.equal(await page.run('orrery.state.run.cluster.gpus'), 80);
  await tabTo(page, 'tensor, tp');
  await page.press('Tab');
  await page.press('ArrowRight');
  await settled(page);
  assert.equal(await page.run('orrery.state.run.parallel.tp'), 2);
  await page.run('orrery.app.use({...orrery.state.run, training: {...orrery.state.run.training, global_batch: 80}})');
  await settled(page);
  const advice = await page.run('document.querySelector(".advice button").ariaLabel'), step = await page.run('orrery.state.answer.step_time_s');
  await pressOn(page, advice);
  await settled(page);
  assert.ok(await page.run('orrery.state.answer.step_time_s') < step);
  assert.notEqual(await page.run('document.activeElement.tagName'), 'BODY');
  await page.press('e');
  await page.until('document.activeElement.getAttribute("role") === "treeitem"');
  await page.press('ArrowDown');
  await page.until('document.activeElement.getAttribute("role") === "treeitem"');
  await page.press('Escape');
  await page.until('!document.querySelector(".why")');
  await page.press('s');
  await page.until('document.activeElement.id === "tab-search"');
  await page.press('ArrowLeft');
  await page.until('document.activeElement.id === "tab-answer"');
  await page.press('ArrowLeft');
  await page.until('document.activeElement.id === "tab-take"');
  await pressOn(page, 'copy the command');
  await page.until('/copied|select and copy/.test(document.activeElement.innerText)');
  await page.press('?');
  await page.until('document.querySelector(".help")');
  await page.press('Escape');
  await page.until('!document.querySelector(".help")');
}));

test('by keyboard alone: search, timeline, sweep, compare, capacity', { timeout: 300_000 }, () => on(async page => {
  await page.press('s');
  await page.until('document.activeElement.id === "tab-search"');
  await pressOn(page, 'search');
  await page.until('orrery.state.works.search?.answer', 240);
  await pressOn(page, 'use strategy 2');
  await settled(page);
  assert.equal(await page.run('orrery.state.answer.step_time_s'), await page.run('JSON.parse(orrery.state.works.search.answer.text).best[1].step_time_s'));
  await page.press('t');
  await page.until('document.activeElement.id === "tab-timeline"');
  await pressOn(page, 'play the step');
  await page.until('document.querySelector("#lanes")?.width > 300');
  await page.until('document.querySelector("#lanes").tabIndex === 0');
  const picture = 'document.querySelector("#lanes").toDataURL()';
  const whole = await page.run(picture);
  for (let i = 0; i < 60 && (await page.run('document.activeElement.id')) !== 'lanes'; i++) await page.press('Tab');
  await page.press('+');
  await page.until(`${picture}.length > 1000`);
  await drawn(page);
  assert.notEqual(await page.run(picture), whole);
  await page.press('p');
  await page.press('c');
  await page.until('document.activeElement.id === "tab-compare"');
  await page.run("orrery.app.setKey('parallel.recompute', 'full')");
  await settled(page);
  await pressOn(page, 'why do they differ');
  await page.until('document.querySelector("#panel pre")');
  await page.press('c');
  await page.until('document.activeElement.id === "tab-compare"');
  await page.press('ArrowLeft');
  await page.press('ArrowLeft');
  await page.until('document.activeElement.id === "tab-sweep"');
  await pressOn(page, 'sweep');
  await page.until('document.querySelectorAll("#panel circle").length >= 2');
  await page.press('c');
  await page.until('document.activeElement.id === "tab-compare"');
  for (let i = 0; i < 3; i++) await page.press('ArrowLeft');
  await page.until('document.activeElement.id === "tab-capacity"');
  await tabTo(page, 'deadline');
  await page.type('90 d');
  await answered(page);
  await pressOn(page, 'use hgx-h200');
  await settled(page);
  assert.equal(await page.run('orrery.state.run.cluster.node'), 'hgx-h200');
}));

test('a link opens what its sender saw; a broken one says so', async () => {
  let hash;
  await on(async page => {
    await page.run("orrery.app.take({'parallel.tp': 4, 'training.tokens': 1e12})");
    await settled(page);
    hash = await page.run('orrery.app.address()');
    await page.until(`location.hash === ${JSON.stringify(hash)}`);
    await page.until('orrery.state.cost');
    await page.until('document.querySelector(".headline").innerText.includes("USD")');
  });
  await on(async page => {
    assert.equal(await page.run('orrery.state.answer.inputs.parallel.tp'), 4);
  }, hash);
  for (const bad of ['#r=AAAA', '#r=%3Cscript%3E', `${hash.slice(0, 30)}`]) {
    await on(async page => assert.match(await text(page, '.note'), /the address/), bad);
  }
  await on(async page => {
    const other = await page.run(`(async () => { const s = JSON.stringify([1, 99, '9.9.9', orrery.state.run]);
      const packed = await new Response(new Blob([s]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer();
      return '#r=' + btoa(String.fromCharCode(...new Uint8Array(packed))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, ''); })()`);
    await on(async later => assert.match(await text(later, '.note'), /made by Orrery 9.9.9, schema 99/), other);
  });
});

test('what is taken away says the same run', () => on(async page => {
  await page.run("orrery.app.setKey('parallel.zero', 1)");
  await settled(page);
  await page.run("orrery.app.set({tab: 'take'})");
  await page.until('document.querySelector("#panel pre.wrap")');
  const command = await text(page, '#panel pre.wrap');
  assert.match(command, /^orrery estimate /);
  const words = command.split(' ').slice(1).map(w => w.replace(/^'|'$/g, ''));
  const [there, here] = [JSON.parse(await cli(...words, '--json')), await page.run('orrery.state.answer.step_time_s')];
  assert.equal(there.step_time_s, here);
}));

// The bytes of a file that a button of that name saves.
async function saved(page, button, file) {
  const path = join(browser.downloads, file);
  rmSync(path, { force: true });
  // Chromium drops what a page saves beyond ten files at once: a person would press again.
  for (let i = 0; i < 600 && !(existsSync(path) && readFileSync(path).length > 0); i++) {
    if (i % 60 === 0) await press(page, button);
    await new Promise(r => setTimeout(r, 50));
  }
  return readFileSync(path);
}

test('files are saved: the run, CSV, settings, a trace, pictures', { timeout: 240_000 }, () => on(async page => {
  await page.run("orrery.app.setKey('parallel.zero', 1)");
  await settled(page);
  await page.run("orrery.app.set({tab: 'take'})");
  const run = JSON.parse(await saved(page, 'save run.json', 'run.json'));
  assert.deepEqual(run, await page.run('orrery.state.run'));
  const mine = join(browser.downloads, 'run.json');
  assert.equal(String(await saved(page, 'answer, CSV', 'answer.csv')), await cli('estimate', mine, '--csv'));
  assert.match(String(await saved(page, 'torchtitan', 'torchtitan.toml')), /seq_len = 8192/);
  await press(page, 'Megatron-LM arguments');
  await page.until('document.querySelector("#panel [role=alert]")');
  assert.match(await text(page, '#panel [role=alert]'), /what Megatron-LM has words for/);
  assert.ok(JSON.parse(await saved(page, 'trace for ui.perfetto.dev', 'trace.json')).traceEvents.length > 10);
  const svg = String(await saved(page, 'save pictures, SVG', 'orrery-1.svg'));
  const parts = await page.run(`(d => [d.documentElement.namespaceURI, d.querySelectorAll('rect[fill^="rgb"]').length, d.querySelector('parsererror')])(new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml'))`);
  assert.equal(parts[0], 'http://www.w3.org/2000/svg');
  assert.ok(parts[1] >= 5 && !parts[2], svg.slice(0, 300));
  const png = await saved(page, 'save pictures, PNG', 'orrery-1.png');
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  const size = await page.run('(r => [Math.trunc(2 * r.width), Math.trunc(2 * r.height)])(document.querySelector("main svg").getBoundingClientRect())');
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], size);
  const colours = await page.run(`(async () => { const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob('${png.toString('base64')}'), c => c.charCodeAt(0))]));
    const c = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d'); c.drawImage(bitmap, 0, 0); const d = c.getImageData(0, bitmap.height / 2, bitmap.width, 1).data, seen = new Set();
    for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size; })()`);
  assert.ok(colours >= 5, `${colours} colours across the bar`);
}));

test('orrery page writes the page with a run in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orrery-page.')), file = join(folder, 'mine.html');
  await new Promise((done, failed) => execFile(ORRERY, ['page', 'gpt3-175b-1024-a100', '--tp', '4', '-o', file], e => (e ? failed(e) : done())));
  await on(async page => {
    const wanted = JSON.parse(await cli('estimate', 'gpt3-175b-1024-a100', '--tp', '4', '--json'));
    assert.equal(await page.run('orrery.state.answer.step_time_s'), wanted.step_time_s);
    assert.equal(await page.run('orrery.state.run.parallel.dp'), undefined);
  }, '', {}, URL_OF(file));
});

test('the folder for a static host answers too', { skip: !process.env.SITE }, async () => {
  const server = createServer((request, answer) => {
    const name = request.url === '/' ? 'index.html' : request.url.replace(/[^\w.-]/g, '');
    answer.setHeader('content-type', name.endsWith('.wasm') ? 'application/wasm' : 'text/html');
    answer.end(readFileSync(join(process.env.SITE, name)));
  });
  await new Promise(listening => server.listen(0, '127.0.0.1', listening));
  await on(async page => assert.match(await text(page, '.headline'), /fits[\s\S]*a step/), '', {}, `http://127.0.0.1:${server.address().port}/`);
  server.close();
  server.closeAllConnections();
});

test('no view is wider than its window; pictures', { timeout: 300_000 }, async () => {
  const shots = process.env.SHOTS;
  if (shots) mkdirSync(shots, { recursive: true });
  for (const width of [390, 820, 1280, 1600, 1920]) {
    for (const dark of [false, true]) {
      await on(async page => {
        await page.run("orrery.app.explain('mfu')");
        for (const tab of TABS) {
          await page.run(`orrery.app.set({tab: '${tab}'})`);
          await drawn(page);
          const wide = await page.run('document.documentElement.scrollWidth');
          assert.ok(wide <= await page.run('innerWidth'), `${tab} at ${width}: ${wide}`);
        }
        if (shots) await page.shot(join(shots, `${width}-${dark ? 'dark' : 'light'}.png`));
      }, '', { width, dark });
    }
  }
});

test('axe finds nothing', { skip: !process.env.AXE, timeout: 300_000 }, async () => {
  const axe = readFileSync(process.env.AXE, 'utf8');
  for (const [dark, width] of [[false, 1280], [true, 390]]) {
    await on(async page => {
      await page.run(`${axe}; 0`);
      await page.run("orrery.app.set({allKeys: true, formOpen: true}), orrery.app.pin(), orrery.app.explain('step_time_s')");
      for (const tab of TABS) {
        await page.run(`orrery.app.set({tab: '${tab}'})`);
        await page.run(`document.querySelector('#panel .go button, #panel button')?.click()`);
        await page.run('new Promise(r => setTimeout(r, 1500))');
        const found = await page.run(`axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.target + ' ' + n.failureSummary).join(' | ')))`);
        assert.deepEqual(found, [], `${tab} ${dark ? 'dark' : 'light'}`);
      }
    }, '', { dark, width });
  }
});
