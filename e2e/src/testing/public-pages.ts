import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Browser } from '@tidemark/testkit';

/** Folder of screenshots, for review after a run; ignored by git. */
export const PICTURES = fileURLToPath(new URL('../../../.cache/public-pages/', import.meta.url));
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

type Page = Awaited<ReturnType<Browser['newPage']>>;
export interface Visit {
  width?: number;
  height?: number;
  isDark?: boolean;
  hasScript?: boolean;
  bypassCSP?: boolean;
  /** Whether the browser asks for no motion: colours then change at once. */
  hasReducedMotion?: boolean;
}

/** A page in a new context, which records its errors and requested URLs. */
export async function watchedPage(
  browser: Browser,
  { width = 1280, height = 900, isDark = false, hasScript = true, bypassCSP = false, hasReducedMotion = false }: Visit,
) {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: width < 500 ? 2 : 1,
    javaScriptEnabled: hasScript,
    colorScheme: isDark ? 'dark' : 'light',
    bypassCSP,
    reducedMotion: hasReducedMotion ? 'reduce' : 'no-preference',
  });
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('request', (request) => requests.push(request.url()));
  return { page, problems, requests, close: () => context.close() };
}

/** Whether tests draw their pages. Without anybody to look at them, pictures would take a good part of the time of the tests. */
export const DRAWS = Boolean(process.env.TEST_PICTURES);

/** Draws a page with `TEST_PICTURES=1`, by default all of it. */
export async function keepPicture(page: Page, name: string, fullPage = true): Promise<void> {
  if (DRAWS) await page.screenshot({ path: `${PICTURES}${name}.png`, fullPage });
}

/** Whether anything overflows a page or frame to the right. */
export const isTooWide = (frame: Pick<Page, 'evaluate'>) =>
  frame.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** The rules of axe-core that are on by default and look at colors: of another theme the others say the same. */
export const COLOR_RULES: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** Turns off the rules of axe-core whose violations are moderate or minor. */
const SERIOUS_ALONE = `rules: Object.fromEntries(
  axe._audit.rules.filter(({ impact }) => impact === 'moderate' || impact === 'minor').map(({ id }) => [id, { enabled: false }]))`;

/**
 * Violations that axe-core finds, a sentence each. The page's policy must allow the script.
 * @param rules default: those that are on by default; "serious": those of them whose violations are serious or critical
 */
export async function axe(page: Page, rules?: readonly string[] | 'serious'): Promise<string[]> {
  const only = rules === 'serious' ? SERIOUS_ALONE : rules && `runOnly: { type: 'rule', values: ${JSON.stringify(rules)} }`;
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.addScriptTag({ path: AXE });
  const found: unknown = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], preload: false, ${only ?? ''} }).then(({ violations }) => violations.map(({ id, impact, nodes }) => impact + ' ' + id + ': ' + nodes.map(({ target, failureSummary }) => target + ' ' + failureSummary).join(' | ')))`,
  );
  return Array.isArray(found) ? found.map(String) : [];
}
