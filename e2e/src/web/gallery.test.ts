import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, freePort, launchBrowser, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppPage, appPage, closePagesAfterEach, inBothThemes, keepAppPicture, seriousFaults } from '../testing/app-pages.js';
import { screensOfRouter } from '../testing/app-screens.js';
import { cutOff } from '../testing/cut-off.js';
import { isTooWide } from '../testing/public-pages.js';

/* The development server without a service, and every page of its gallery: each control in its states, in both themes and on a phone. */

const PACKAGES = fileURLToPath(new URL('../../../packages', import.meta.url));
/** Many pages: a slow machine needs minutes. */
const PATIENCE = { timeout: 1_200_000 };
const WIDTHS = [1280, 360];

interface DevelopmentServer {
  url: string;
  /** What it has printed. */
  output: string;
  close: () => void;
}

/** Starts the development server of the app. @param service address of the service that it forwards requests to */
async function startDevelopmentServer(service: string): Promise<DevelopmentServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [`${PACKAGES}/web/develop.mjs`, String(port)], {
    env: { ...process.env, NODE_ENV: 'development', TIDEMARK_URL: service },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise<void>((listens, fails) => {
    child.once('exit', (code) => fails(new Error(`The development server ended with code ${code}: ${output}`)));
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text;
        if (output.includes(`${url}/__gallery`)) listens();
      });
  });
  return { url, output, close: () => child.kill() };
}

let server: DevelopmentServer;
let browser: Browser;
let url = '';

closePagesAfterEach(() => browser);
beforeAll(async () => {
  const noService = `http://127.0.0.1:${await freePort()}`;
  [server, browser] = await Promise.all([startDevelopmentServer(noService), launchBrowser()]);
  url = server.url;
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Files of `ui/` that another control consists of, by which page shows them. */
const PARTS: Readonly<Record<string, string>> = {
  DialogBox: 'Dialog',
  'field-parts': 'TextField',
  'lazy-part': 'Dialog',
  MenuPop: 'Menu',
  Pop: 'PopButton',
};

/** The names of the pages, from a gallery whose modules the server has found by then. */
async function pagesOf(page: AppPage): Promise<string[]> {
  await page.goto(`${url}/__gallery`);
  const links = page.getByRole('navigation', { name: 'Controls' }).getByRole('link');
  await links.first().waitFor();
  return links.allInnerTexts();
}

test('each file of ui/ with a component has a page', async () => {
  const { page, close } = await appPage(browser);
  const files = await readdir(`${PACKAGES}/web/src/ui`);
  const components = files.filter((file) => /^[\w-]+\.tsx$/.test(file)).map((file) => file.replace('.tsx', ''));
  const expected = components.map((name) => PARTS[name] ?? name);
  expect((await pagesOf(page)).sort()).toEqual([...new Set(expected)].sort());
  await close();
});

/** What a press on a button has opened. */
const opened = (page: AppPage) =>
  page.getByRole('menu').or(page.getByRole('listbox')).or(page.getByRole('dialog')).or(page.getByRole('complementary'));

/** What is wrong with what is in sight, and its pictures. */
async function faultsInSight(page: AppPage, picture: string, fullPage: boolean): Promise<string[]> {
  const faults: string[] = [];
  await inBothThemes(page, async (theme) => {
    faults.push(...(await seriousFaults(page, theme)));
    await keepAppPicture(page, `gallery-${picture}-${theme}`, fullPage);
  });
  if (await isTooWide(page)) faults.push('wider than the window');
  faults.push(...(await cutOff(page)).map((text) => `cut off: ${text}`));
  return faults.map((fault) => `${picture}: ${fault}`);
}

/** The same for a page of the gallery, and for each menu, list, dialog and panel that it opens. */
async function faultsOf(page: AppPage, name: string): Promise<string[]> {
  const faults: string[] = [];
  await page.goto(`${url}/__gallery/${name}`);
  await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    faults.push(...(await faultsInSight(page, `${name}-${width}`, true)));
    const openers = await page.locator(':is([aria-haspopup], [aria-expanded]):enabled').all();
    for (const [index, opener] of openers.entries()) {
      await opener.click();
      await opened(page).first().waitFor();
      faults.push(...(await faultsInSight(page, `${name}-${index + 1}-${width}`, false)));
      await page.keyboard.press('Escape');
      await opened(page).first().waitFor({ state: 'detached' });
    }
  }
  return faults;
}

test('each page keeps the rules of axe, is as wide as its window, cuts nothing off and reports no error', PATIENCE, async () => {
  // colors change at once, so that axe sees those of the theme
  const { page, problems, close } = await appPage(browser, { hasReducedMotion: true });
  const faults: string[] = [];
  for (const name of await pagesOf(page)) {
    await page.setViewportSize({ width: 1280, height: 800 });
    faults.push(...(await faultsOf(page, name)));
    faults.push(...problems.splice(0).map((problem) => `${name}: ${problem}`));
  }
  expect(faults).toEqual([]);
  await close();
});

test('each screen has its address on the development server, and all else is forwarded', async () => {
  expect(server.output).toContain('No service answers');
  for (const screen of screensOfRouter()) {
    const answer = await fetch(url + screen.replaceAll(/\$\w+/g, '1'), { headers: { accept: 'text/html' } });
    expect([screen, answer.status, await answer.text()]).toEqual([screen, 200, expect.stringContaining('/src/main.tsx')]);
  }
  for (const path of ['/api/session/', '/_preflight', '/static/tidemark.js', '/shared/1', '/capture/', '/packages/1']) {
    const answer = await fetch(url + path);
    const detail = expect.stringMatching(
      /^No service answers at .* Start one with npm start, or name its address in TIDEMARK_URL\.$/,
    );
    expect([path, answer.status, await answer.json()]).toEqual([path, 502, expect.objectContaining({ detail })]);
  }
});

test('people log in and out through the development server', async () => {
  const service = await startService();
  const { url, output, close: stop } = await startDevelopmentServer(service.url);
  try {
    expect(output).toContain(`The app on the data of ${service.url}: ${url}`);
    const { page, close } = await appPage(browser);
    await page.goto(`${url}/login`);
    await page.getByLabel('E-mail').fill(service.account.email);
    await page.getByLabel('Password', { exact: true }).fill(service.account.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: /^Account of/ }).click();
    // a write with the cookie of the session, which the service accepts from pages of its own origin alone
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect((await page.context().request.get(`${service.url}/api/users/@me/`)).status()).toBe(401);
    await close();
  } finally {
    stop();
    await service.close();
  }
});

test('the built app has nothing of the gallery', async () => {
  const folder = `${PACKAGES}/server/dist/app`;
  const files = ['index.html', ...(await readdir(`${folder}/app`)).map((name) => `app/${name}`)];
  const texts = await Promise.all(
    files.filter((name) => /\.(html|js|css)$/.test(name)).map((name) => readFile(`${folder}/${name}`, 'utf8')),
  );
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.filter((text) => text.includes('allery'))).toEqual([]);
});
