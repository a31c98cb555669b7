// The licenses of libraries whose code is part of built files, which have to accompany it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest, root } from '../run.mjs';

/** @param {string[]} folders of packages, from the repository's; our own are left out @returns {string} */
export function licensesOf(folders) {
  const found = new Map();
  for (const folder of folders) {
    if (!folder.includes('node_modules/') || !existsSync(join(root, folder, 'package.json'))) continue;
    const { name, version, license } = readManifest(folder);
    if (!name.startsWith('@tidemark/')) found.set(`${name} ${version}`, { license, text: textIn(join(root, folder)) });
  }
  const sections = [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { license, text }]) => {
      return `${'='.repeat(80)}\n${title} (${license ?? 'see below'})\n\n${text}\n`;
    });
  return `Libraries whose code is part of Tidemark's built files, and their licenses. NOTICE names those that are installed beside it.\n\n${sections.join('\n')}`;
}

/** @param {string} folder @returns {string} its license files */
function textIn(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return texts.join('\n\n') || 'The package has no file with the text of its license.';
}
