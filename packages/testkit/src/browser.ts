import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export type { Browser };

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Starts the machine's Chromium, headless. `TIDEMARK_CHROMIUM` names another binary. */
export function launchBrowser(): Promise<Browser> {
  const named = process.env['TIDEMARK_CHROMIUM'];
  const executablePath = named || PATHS.find((path) => existsSync(path));
  if (!executablePath) throw new Error('There is no Chromium: install it, or name one in TIDEMARK_CHROMIUM.');
  return chromium.launch({
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
}
