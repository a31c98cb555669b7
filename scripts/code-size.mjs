// Prints a table of the source files and lines of code of each package at commits, without tests, comments, empty lines and generated files.
// Usage: npm run code-size -- acaf080 HEAD
import { execFileSync } from 'node:child_process';
import ts from 'typescript';
import { root } from './run.mjs';

/** @typedef {{ files: number, lines: number }} Size */

const commits = process.argv.slice(2);
const sizes = (commits.length > 0 ? commits : ['HEAD']).map(sizesAt);
const packages = [...new Set(sizes.flatMap((size) => [...size.keys()]))].sort();
const cells = (/** @type {string} */ name, /** @type {keyof Size} */ key) =>
  sizes.map((size) => (size.get(name)?.[key] ?? 0).toLocaleString('en')).join(' / ');
console.log('| Package | Files | Code |\n|---|---|---|');
for (const name of [...packages.filter((one) => one !== 'all'), 'all'])
  console.log(`| ${name} | ${cells(name, 'files')} | ${cells(name, 'lines')} |`);

/** The size of each package at a commit, and of `all`. @param {string} commit @returns {Map<string, Size>} */
function sizesAt(commit) {
  const names = git(['ls-tree', '-r', '--name-only', commit, 'packages'])
    .toString()
    .split('\n')
    .filter((name) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(name) && !/\.test\.|\/testing\/|\.gen\.|\.d\.ts$/.test(name));
  const texts = textsAt(commit, names);
  const sizes = new Map();
  for (const [index, name] of names.entries()) {
    const lines = linesOfCode(name, texts[index] ?? '');
    for (const key of [name.split('/')[1], 'all']) {
      const before = sizes.get(key) ?? { files: 0, lines: 0 };
      sizes.set(key, { files: before.files + 1, lines: before.lines + lines });
    }
  }
  return sizes;
}

/** The lines with at least one token. @param {string} name @param {string} text */
function linesOfCode(name, text) {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
  const all = text.split('\n');
  const used = new Set();
  const lineAt = (/** @type {number} */ position) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (/** @type {ts.Node} */ node) => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const children = node.getChildren(source);
    if (children.length > 0) children.forEach(visit);
    else
      for (let line = lineAt(node.getStart(source)); node.getWidth(source) > 0 && line <= lineAt(node.end); line += 1)
        used.add(line);
  };
  visit(source);
  return [...used].filter((line) => all[line]?.trim()).length;
}

/** The texts of files at a commit, by one call of git. @param {string} commit @param {string[]} names @returns {string[]} */
function textsAt(commit, names) {
  const output = git(['cat-file', '--batch'], names.map((name) => `${commit}:${name}\n`).join(''));
  let at = 0;
  return names.map(() => {
    // a line with the id, the kind and the size of the file, its content, and the end of a line
    const begin = output.indexOf('\n', at) + 1;
    const end = begin + Number(output.toString('utf8', at, begin).trim().split(' ')[2]);
    at = end + 1;
    return output.toString('utf8', begin, end);
  });
}

/** @param {string[]} args @param {string} input */
function git(args, input = '') {
  return execFileSync('git', args, { cwd: root, input, maxBuffer: 1e9 });
}
