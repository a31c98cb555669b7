import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export type { Browser };

/** The first has no window to draw: a page costs it a sixth of the processor time. */
const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Milliseconds that whatever is waited for in a page may take: of a machine that stalls. */
const PATIENCE = 180_000;

/** Starts the machine's Chromium, headless. `TIDEMARK_CHROMIUM` names another binary. */
export async function launchBrowser(): Promise<Browser> {
  const named = process.env['TIDEMARK_CHROMIUM'];
  const executablePath = named || PATHS.find((path) => existsSync(path));
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
