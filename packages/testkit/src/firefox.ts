import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { connectMarionette } from './marionette.js';

/** Firefox as Debian packages it. */
export const FIREFOX = '/usr/bin/firefox-esr';
const PATHS = [FIREFOX, '/usr/bin/firefox'];
const PATIENCE = 180_000;

/** Path of the Firefox under test: `TIDEMARK_FIREFOX`, or the first one found. */
export const findFirefox = (): string | undefined => process.env['TIDEMARK_FIREFOX'] || PATHS.find((path) => existsSync(path));

/** A headless Firefox with a new profile. Commands go to the tab opened last. */
export interface Firefox {
  /** Opens an address in the current tab, and waits until it has loaded. */
  goto(url: string): Promise<void>;
  /** Evaluates an expression in the page, awaits it, and returns its JSON value. A Content-Security-Policy does not block this. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** Clicks with trusted events. */
  click(selector: string): Promise<void>;
  /** Types into a field in place of what it has, with trusted events. */
  type(selector: string, text: string): Promise<void>;
  /** Goes back in the history of the tab. */
  back(): Promise<void>;
  /** Closes the current tab and opens a new one. */
  replaceTab(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the installed Firefox, headless. Playwright supports only its own builds, so this uses Firefox's protocol. */
export async function launchFirefox(): Promise<Firefox> {
  const path = findFirefox();
  if (!path) throw new Error('There is no Firefox: install firefox-esr, or name one in TIDEMARK_FIREFOX.');
  const profile = await mkdtemp(join(tmpdir(), 'tidemark-firefox-'));
  const settings = { 'marionette.port': 0, 'browser.startup.page': 0, 'datareporting.policy.dataSubmissionEnabled': false };
  const lines = Object.entries(settings).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`);
  await writeFile(join(profile, 'user.js'), lines.join(''));
  const child = spawn(path, ['--headless', '--marionette', '--no-remote', '--profile', profile], {
    stdio: 'ignore',
    env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' },
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const end = async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const port = await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`Firefox ended with code ${child.exitCode}.`);
      const written = Number(await readFile(join(profile, 'MarionetteActivePort'), 'utf8'));
      if (!written) throw new Error('Firefox has not named its port yet.');
      return written;
    });
    const { call, close } = await connectMarionette(port);
    await call('WebDriver:NewSession', { capabilities: { alwaysMatch: { pageLoadStrategy: 'normal' } } });
    await call('WebDriver:SetTimeouts', { script: PATIENCE, pageLoad: PATIENCE, implicit: PATIENCE });
    /** Finds an element. @returns how commands name it */
    const find = async (selector: string): Promise<unknown> => {
      const found = await call('WebDriver:FindElement', { using: 'css selector', value: selector });
      return Object.values(Object(Object(found).value))[0];
    };
    return {
      async goto(url) {
        await call('WebDriver:Navigate', { url });
      },
      async evaluate<Value>(expression: string) {
        const script = `const done = arguments[arguments.length - 1];
          (async () => (${expression}))().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
        const answer = await call('WebDriver:ExecuteAsyncScript', { script, args: [] });
        const { value, error }: { value: Value; error?: string } = Object(Object(answer).value);
        if (error) throw new Error(error);
        return value;
      },
      async click(selector) {
        await call('WebDriver:ElementClick', { id: await find(selector) });
      },
      async type(selector, text) {
        const id = await find(selector);
        // keys replace what is selected
        await call('WebDriver:ExecuteScript', {
          script: `document.querySelector(${JSON.stringify(selector)}).select()`,
          args: [],
        });
        await call('WebDriver:ElementSendKeys', { id, text });
      },
      async back() {
        await call('WebDriver:Back');
      },
      async replaceTab() {
        const opened = Object(await call('WebDriver:NewWindow', { type: 'tab' }));
        await call('WebDriver:CloseWindow');
        await call('WebDriver:SwitchToWindow', { handle: opened.handle, focus: true });
      },
      async close() {
        close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
