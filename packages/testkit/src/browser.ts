import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

export type { Browser };

/** Chromium without windows: a page costs it a sixth of the processor time. */
export const HEADLESS = '/usr/bin/chromium-headless-shell';
/** Chromium as people run it. Only this build has the back/forward cache. */
export const WHOLE = '/usr/bin/chromium';
const WHOLE_PATHS = [WHOLE, '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of the Chromium that tests drive: `TIDEMARK_CHROMIUM`, or the first that the machine has. */
export const findBrowser = (): string | undefined => find([HEADLESS, ...WHOLE_PATHS]);

/** The same for a Chromium that has the back/forward cache. */
export const findWholeBrowser = (): string | undefined => find(WHOLE_PATHS);

const find = (paths: readonly string[]) => process.env['TIDEMARK_CHROMIUM'] || paths.find((path) => existsSync(path));

/** Milliseconds that whatever is waited for in a page may take: of a machine that stalls. */
const PATIENCE = 180_000;

/**
 * Starts the machine's Chromium, headless. `TIDEMARK_CHROMIUM` names another binary.
 * @param backForwardCache pages are restored when the visitor goes back, as in every browser that people use
 */
export async function launchBrowser({ backForwardCache = false } = {}): Promise<Browser> {
  const executablePath = backForwardCache ? findWholeBrowser() : findBrowser();
  if (!executablePath) throw new Error('There is no Chromium: install it, or name one in TIDEMARK_CHROMIUM.');
  const browser = await chromium.launch({
    timeout: PATIENCE,
    executablePath,
    // Playwright turns the cache off
    ignoreDefaultArgs: backForwardCache ? ['--disable-back-forward-cache'] : [],
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
