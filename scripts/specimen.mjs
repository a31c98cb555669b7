// `npm run specimen`: draws every kind of chart with odd data, in both themes and three sizes, as one HTML page to look at.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
