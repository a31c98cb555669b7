import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export type { Browser };

/** Chromium's headless shell: a page takes a sixth of the CPU time. */
export const HEADLESS = '/usr/bin/chromium-headless-shell';
/** The full Chromium. Only this build has the back/forward cache. */
export const WHOLE = '/usr/bin/chromium';
const WHOLE_PATHS = [WHOLE, '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of the Chromium under test: `TIDEMARK_CHROMIUM`, or the first one found. */
export const findBrowser = (): string | undefined => find([HEADLESS, ...WHOLE_PATHS]);

/** Path of a Chromium with the back/forward cache. */
export const findWholeBrowser = (): string | undefined => find(WHOLE_PATHS);

const find = (paths: readonly string[]) => process.env['TIDEMARK_CHROMIUM'] || paths.find((path) => existsSync(path));

/** Timeout of waits in a page, milliseconds; generous, for machines that stall. */
const PATIENCE = 180_000;

/**
 * Starts the machine's Chromium, headless. `TIDEMARK_CHROMIUM` names another binary.
 * @param backForwardCache restore pages when the visitor goes back, as ordinary browsers do
 */
export async function launchBrowser({ backForwardCache = false } = {}): Promise<Browser> {
  const executablePath = backForwardCache ? findWholeBrowser() : findBrowser();
  if (!executablePath) throw new Error('There is no Chromium: install it, or name one in TIDEMARK_CHROMIUM.');
  const browser = await chromium.launch({
    timeout: PATIENCE,
    executablePath,
    // Playwright disables the cache
    ignoreDefaultArgs: backForwardCache ? ['--disable-back-forward-cache'] : [],
    args: [
      // the sandbox is unavailable to root and in many containers
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
