// `npm run specimen`: draws every kind of chart with odd data, in both themes and three sizes, as one HTML page to look at and a picture for
// each kind and theme, and counts the texts that are cut or lie over each other in a browser.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkNode } from './node-version.mjs';

checkNode();
const { buildAll } = await import('./compile.mjs');
const { install } = await import('./install.mjs');
const { root } = await import('./run.mjs');
await install('1/3');
await buildAll('2/3');
console.log('[3/3] Drawing');
const { renderSvg, THEMES } = await import('../packages/charts/dist/index.js');
const { KINDS, SIZES, STATES } = await import('../packages/charts/dist/specimen.js');

/** @type {('light' | 'dark')[]} */
const themes = ['light', 'dark'];
const sections = themes.flatMap((theme) => {
  const { background, card, border, text } = THEMES[theme];
  return Object.entries(KINDS).map(([kind, insightOf]) => {
    const cards = STATES.flatMap((state) =>
      SIZES.map(({ columns, width, height }) => {
        const svg = renderSvg(insightOf(state), { width, height, theme });
        return `<figure style="background:${card};border-color:${border}"><figcaption>${state}, ${columns} columns</figcaption>${svg}</figure>`;
      }),
    );
    return `<section style="background:${background};color:${text}"><h2>${kind}, ${theme}</h2><div>${cards.join('')}</div></section>`;
  });
});
const style =
  'body{margin:0;font:13px sans-serif}section{padding:16px}div{display:flex;flex-wrap:wrap;gap:12px}figure{margin:0;padding:12px;border:1px solid;border-radius:8px}figcaption{margin-bottom:8px}svg{display:block}';
const folder = join(root, 'specimen');
await mkdir(folder, { recursive: true });
const file = join(folder, 'index.html');
await writeFile(
  file,
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Charts of Tidemark</title><style>${style}</style>${sections.join('')}</html>`,
);
console.log(file);
process.exit((await measureTexts(file)) ? 0 : 1);

/** Measures where the browser draws each text of the page. @param {string} path @returns {Promise<boolean>} whether all can be read */
async function measureTexts(path) {
  const { launchBrowser } = await import('../packages/testkit/dist/index.js');
  const browser = await launchBrowser();
  try {
    // a row for each state: three, six and twelve columns
    const page = await browser.newPage({ viewport: { width: 2120, height: 900 } });
    await page.goto(pathToFileURL(path).href);
    const { charts, texts, faults } = await page.evaluate(findFaults);
    for (const section of await page.locator('section').all()) {
      const name = await section.locator('h2').textContent();
      await section.screenshot({ path: join(folder, `${name?.replaceAll(/\W+/g, '-')}.png`) });
    }
    for (const fault of faults) console.log(fault);
    console.log(`${charts} charts, ${texts} texts: ${faults.length} are cut or lie over another`);
    return faults.length === 0;
  } finally {
    await browser.close();
  }
}

/** Runs in the page. Boxes of texts include their line gaps: they may touch by some pixels. */
function findFaults() {
  const GAP = { outside: 2, width: 2, height: 3.5 };
  /** @type {string[]} */
  const faults = [];
  let texts = 0;
  const figures = [...document.querySelectorAll('figure')];
  for (const figure of figures) {
    const svg = figure.querySelector('svg');
    if (!svg) continue;
    const name = `${figure.closest('section')?.querySelector('h2')?.textContent}, ${figure.querySelector('figcaption')?.textContent}`;
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll('text')]
      .filter((text) => text.textContent.trim() !== '')
      .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
    texts += boxes.length;
    for (const [index, { text, box }] of boxes.entries()) {
      const outside = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top, box.bottom - frame.bottom);
      if (outside > GAP.outside) faults.push(`${name}: "${text}" is cut`);
      for (const other of boxes.slice(index + 1)) {
        const width = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const height = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (width > GAP.width && height > GAP.height) faults.push(`${name}: "${text}" lies over "${other.text}"`);
      }
    }
  }
  return { charts: figures.length, texts, faults };
}
