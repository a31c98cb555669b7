// Fails when a page has a broken link or an unknown command, or when the table of settings differs from the code.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './run.mjs';

const read = (/** @type {string} */ name) => readFileSync(join(root, name), 'utf8');
const listed = (/** @type {string[]} */ ...patterns) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], { cwd: root })
    .toString()
    .split('\n')
    .filter(Boolean);

/** @type {string[]} */
const faults = [];

/** The anchors of a page's headings, as GitHub generates them. */
const anchorsOf = (/** @type {string} */ name) =>
  [...read(name).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );

const { scripts } = JSON.parse(read('package.json'));
for (const page of listed('*.md')) {
  const prose = read(page).replaceAll(/```[\s\S]*?```/g, '');
  for (const [, link = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^\w+:/.test(link)) continue;
    const [path = '', anchor] = link.split('#');
    const target = path ? join(dirname(page), path) : page;
    if (!existsSync(join(root, target))) faults.push(`${page}: there is no ${link}`);
    else if (anchor && target.endsWith('.md') && !anchorsOf(target).includes(anchor))
      faults.push(`${page}: ${link} has no such heading`);
  }
  for (const [, script = ''] of prose.matchAll(/`npm run ([\w:-]+)/g)) {
    if (!page.startsWith('packages/') && !scripts[script]) faults.push(`${page}: there is no npm run ${script}`);
  }
}

const settingsIn = (/** @type {string} */ text) =>
  new Set(text.match(/\b(TIDEMARK_[A-Z0-9_]*[A-Z0-9]|DATABASE_URL|CLICKHOUSE_URL|PORT|HOST)\b/g));
const table = read('docs/guide/run.md').replaceAll('TIDEMARK_INIT_*', '');
const [inCode, inTable] = [settingsIn(read('packages/server/src/config.ts')), settingsIn(table)];
for (const name of inCode) if (!inTable.has(name)) faults.push(`docs/guide/run.md: ${name} is missing`);
for (const name of inTable) if (!inCode.has(name)) faults.push(`docs/guide/run.md: no setting is called ${name}`);

for (const fault of faults) console.error(fault);
process.exit(faults.length ? 1 : 0);
