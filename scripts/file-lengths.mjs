// Fails when a source file written by hand has more than 400 lines; shows how long the files are.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { root } from './run.mjs';

const LIMIT = 400;
const names = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.mjs', '*.sql'], { cwd: root });
const files = names
  .toString()
  .split('\n')
  .filter((name) => name && !name.includes('.gen.') && existsSync(`${root}/${name}`))
  .map((name) => ({ name, lines: readFileSync(`${root}/${name}`, 'utf8').trimEnd().split('\n').length }))
  .sort((a, b) => a.lines - b.lines);

const at = (/** @type {number} */ share) => files[Math.floor((files.length - 1) * share)]?.lines;
console.log(`${files.length} files: median ${at(0.5)} lines, p90 ${at(0.9)}, longest ${at(1)}`);
const tooLong = files.filter((file) => file.lines > LIMIT);
for (const file of tooLong) console.error(`${file.name} has ${file.lines} lines, more than ${LIMIT}`);
process.exit(tooLong.length ? 1 : 0);
