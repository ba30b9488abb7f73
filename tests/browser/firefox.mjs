// SPDX-License-Identifier: Apache-2.0
//
// The distribution's Firefox, driven by its Marionette protocol over a port of this machine: no
// package. The same face as chromium.mjs; a window is at least 500 pixels wide.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KEYS = { Enter: '\uE007', Tab: '\uE004', Escape: '\uE00C', ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015' };
const SHIFT = '\uE008';
const PREFERENCES = { 'marionette.port': 0, 'browser.shell.checkDefaultBrowser': false, 'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.enabled': false, 'browser.aboutwelcome.enabled': false, 'security.fileuri.strict_origin_policy': false };
const pause = ms => new Promise(r => setTimeout(r, ms));

export class Firefox {
  static async start(program = process.env.FIREFOX ?? 'firefox-esr') {
    const browser = new Firefox();
    browser.profile = mkdtempSync(join(tmpdir(), 'orrery-firefox.'));
    browser.downloads = mkdtempSync(join(tmpdir(), 'orrery-downloads.'));
    const into = { 'browser.download.folderList': 2, 'browser.download.dir': browser.downloads, 'browser.download.always_ask_before_handling_new_types': false };
    writeFileSync(join(browser.profile, 'user.js'), Object.entries({ ...PREFERENCES, ...into }).map(([k, v]) => `user_pref("${k}", ${JSON.stringify(v)});\n`).join(''));
    browser.child = spawn(program, ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', browser.profile], { stdio: 'ignore' });
    const port = join(browser.profile, 'MarionetteActivePort');
    for (let i = 0; !existsSync(port) && i < 600; i++) await pause(100);
    await pause(200);
    browser.socket = connect(Number(readFileSync(port, 'utf8')), '127.0.0.1');
    browser.last = 0;
    browser.waiting = new Map();
    browser.rest = Buffer.alloc(0);
    browser.socket.on('data', data => browser.hear(data));
    await browser.send('WebDriver:NewSession', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
    await browser.send('WebDriver:SetTimeouts', { script: 900_000, pageLoad: 300_000 });
    return browser;
  }

  // "12:[1,1,null,{}]"
  hear(data) {
    this.rest = Buffer.concat([this.rest, data]);
    for (;;) {
      const colon = this.rest.indexOf(':');
      if (colon < 0) return;
      const size = Number(this.rest.subarray(0, colon));
      if (this.rest.length < colon + 1 + size) return;
      const message = JSON.parse(this.rest.subarray(colon + 1, colon + 1 + size).toString());
      this.rest = this.rest.subarray(colon + 1 + size);
      if (!Array.isArray(message)) continue; // the greeting
      const [, id, error, result] = message, waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (error) waiting?.reject(new Error(`${error.error}: ${error.message}`));
      else waiting?.resolve(result);
    }
  }

  send(name, parameters = {}) {
    const id = ++this.last, text = JSON.stringify([0, id, name, parameters]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async inChrome(script, ...args) {
    await this.send('Marionette:SetContext', { value: 'chrome' });
    const { value } = await this.send('WebDriver:ExecuteScript', { script, args });
    await this.send('Marionette:SetContext', { value: 'content' });
    return value;
  }

  async open(url, { width = 1280, height = 900, dark = false } = {}) {
    const { handle } = await this.send('WebDriver:NewWindow', { type: 'tab' });
    const page = new Page(this, handle, url.split('#')[0]);
    await page.here();
    await page.resize(width, height, dark);
    await this.inChrome('Services.console.reset()');
    await this.send('WebDriver:Navigate', { url });
    return page;
  }

  stop() {
    this.socket.destroy();
    this.child.on('exit', () => [this.profile, this.downloads].forEach(f => rmSync(f, { recursive: true, force: true, maxRetries: 5 })));
    this.child.kill();
  }
}

class Page {
  constructor(browser, handle, url) { Object.assign(this, { browser, handle, url }); }

  async here() {
    if (this.browser.current !== this.handle) await this.browser.send('WebDriver:SwitchToWindow', { handle: this.handle, focus: true });
    this.browser.current = this.handle;
  }

  // Errors that the page and the policy made.
  async complaints() {
    const all = await this.browser.inChrome(`return Services.console.getMessageArray()
      .filter(m => m instanceof Ci.nsIScriptError && !(m.flags & Ci.nsIScriptError.warningFlag)).map(m => [m.sourceName, m.errorMessage])`);
    return all.filter(([source]) => source.startsWith(this.url) || source.startsWith('blob:')).map(([, message]) => message);
  }

  async close() {
    await this.here();
    await this.browser.send('WebDriver:CloseWindow');
    this.browser.current = undefined;
    const [first] = await this.browser.send('WebDriver:GetWindowHandles');
    await this.browser.send('WebDriver:SwitchToWindow', { handle: first });
  }

  async resize(width, height, dark) {
    await this.browser.inChrome(`Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', ${dark ? 0 : 1})`);
    await this.browser.send('WebDriver:SetWindowRect', { width: Math.max(500, width), height });
  }

  // The value of an expression, or of what it promises; statements have none.
  async run(expression) {
    await this.here();
    const ask = async script => (await this.browser.send('WebDriver:ExecuteScript', { script, args: [], sandbox: null })).value ?? undefined;
    try {
      return await ask(`return (${expression}\n);`);
    } catch (e) {
      if (!/SyntaxError/.test(e.message)) throw e;
      return ask(expression);
    }
  }

  async until(expression, seconds = 60) {
    for (const end = Date.now() + seconds * 1000; ;) {
      const value = await this.run(expression).catch(e => { if (Date.now() > end) throw e; });
      if (value) return value;
      if (Date.now() > end) throw new Error(`never came: ${expression}; text: ${await this.run('document.body.innerText.slice(0, 600)')}`);
      await pause(40);
    }
  }

  async press(key, modifiers = 0) {
    await this.here();
    const value = KEYS[key] ?? key, down = v => ({ type: 'keyDown', value: v }), up = v => ({ type: 'keyUp', value: v });
    const actions = modifiers & 8 ? [down(SHIFT), down(value), up(value), up(SHIFT)] : [down(value), up(value)];
    await this.browser.send('WebDriver:PerformActions', { actions: [{ type: 'key', id: 'keys', actions }] });
  }

  async type(text) {
    for (const c of text) await this.press(c);
  }

  async shot(file) {
    await this.here();
    const { value } = await this.browser.send('WebDriver:TakeScreenshot', { full: true });
    writeFileSync(file, Buffer.from(value, 'base64'));
  }
}
