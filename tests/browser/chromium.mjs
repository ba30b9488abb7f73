// SPDX-License-Identifier: Apache-2.0
//
// The distribution's Chromium, driven over a pipe by its DevTools protocol: no package, no port.
//
//   const browser = await Chromium.start();
//   const page = await browser.open('file:///…', {width: 390, height: 844, dark: true});
//   await page.run('document.title'); await page.press('p'); await page.shot('x.png');
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KEYS = { Enter: ['Enter', 13, '\r'], Tab: ['Tab', 9], Escape: ['Escape', 27], ArrowLeft: ['ArrowLeft', 37], ArrowUp: ['ArrowUp', 38],
  ArrowRight: ['ArrowRight', 39], ArrowDown: ['ArrowDown', 40], ' ': ['Space', 32, ' '] };

export class Chromium {
  static async start(program = process.env.CHROMIUM ?? 'chromium') {
    const browser = new Chromium();
    browser.profile = mkdtempSync(join(tmpdir(), 'orrery-chromium.'));
    browser.child = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe',
      '--disable-dev-shm-usage', '--no-first-run', `--user-data-dir=${browser.profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    browser.last = 0;
    browser.waiting = new Map();
    browser.listeners = new Set();
    let rest = '';
    browser.child.stdio[4].setEncoding('utf8').on('data', data => {
      const messages = (rest + data).split('\0');
      rest = messages.pop();
      messages.forEach(m => browser.hear(JSON.parse(m)));
    });
    browser.downloads = mkdtempSync(join(tmpdir(), 'orrery-downloads.'));
    await browser.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: browser.downloads });
    return browser;
  }

  hear(message) {
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (waiting && message.error) waiting.reject(new Error(message.error.message));
    else if (waiting) waiting.resolve(message.result);
    else this.listeners.forEach(l => l(message));
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async open(url, { width = 1280, height = 900, dark = false } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.listeners.add(m => { if (m.sessionId === sessionId) page.hear(m); });
    for (const domain of ['Page', 'Runtime', 'Log']) await page.send(`${domain}.enable`);
    await page.resize(width, height, dark);
    await page.send('Page.navigate', { url });
    return page;
  }

  stop() {
    this.child.on('exit', () => [this.profile, this.downloads].forEach(f => rmSync(f, { recursive: true, force: true, maxRetries: 5 })));
    this.child.kill();
  }
}

class Page {
  problems = []; // errors of the console, exceptions, what the policy refused
  constructor(browser, session, target) { Object.assign(this, { browser, session, target }); }

  hear({ method, params }) {
    if (method === 'Runtime.exceptionThrown') this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.problems.push(params.entry.text);
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') this.problems.push(JSON.stringify(params.args));
  }

  send(method, params) { return this.browser.send(method, params, this.session); }
  complaints() { return this.problems; }
  close() { return this.browser.send('Target.closeTarget', { targetId: this.target }); }

  async resize(width, height, dark) {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
  }

  // The value of an expression, or of what it promises.
  async run(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  async until(expression, seconds = 60) {
    for (const end = Date.now() + seconds * 1000; ;) {
      const value = await this.run(expression).catch(e => { if (Date.now() > end) throw e; });
      if (value) return value;
      if (Date.now() > end) throw new Error(`never came: ${expression}; problems: ${this.problems.join('; ')}; text: ${await this.run('document.body.innerText.slice(0, 600)')}`);
      await new Promise(r => setTimeout(r, 40));
    }
  }

  async press(key, modifiers = 0) {
    const [code, number, text] = KEYS[key] ?? ['', key.charCodeAt(0), key];
    const common = { key, code, windowsVirtualKeyCode: number, modifiers };
    await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...common, text });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
  }

  type(text) { return this.send('Input.insertText', { text }); }

  async shot(file, whole = true) {
    const { cssContentSize: size } = await this.send('Page.getLayoutMetrics');
    const clip = whole ? { x: 0, y: 0, width: size.width, height: size.height, scale: 1 } : undefined;
    const { data } = await this.send('Page.captureScreenshot', { captureBeyondViewport: whole, clip });
    writeFileSync(file, Buffer.from(data, 'base64'));
  }
}
