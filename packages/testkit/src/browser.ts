import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export type { Browser };

/** Chromium without windows: a page costs it a sixth of the processor time. */
export const HEADLESS = '/usr/bin/chromium-headless-shell';
const PATHS = [HEADLESS, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of the Chromium that tests drive: `TIDEMARK_CHROMIUM`, or the first that the machine has. */
export const findBrowser = (): string | undefined => process.env['TIDEMARK_CHROMIUM'] || PATHS.find((path) => existsSync(path));

/** Milliseconds that whatever is waited for in a page may take: of a machine that stalls. */
const PATIENCE = 180_000;

/** Starts the machine's Chromium, headless. `TIDEMARK_CHROMIUM` names another binary. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error('There is no Chromium: install it, or name one in TIDEMARK_CHROMIUM.');
  const browser = await chromium.launch({
    timeout: PATIENCE,
    executablePath,
    args: [
      // root has no sandbox, and many containers have none for anybody
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE));
  return browser;
}
