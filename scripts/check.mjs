// `npm run check`: all static checks.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkNode } from './node-version.mjs';

checkNode();
const { install } = await import('./install.mjs');
const { root, run, stopwatch } = await import('./run.mjs');

/** @type {[name: string, command: string, ...args: string[]][]} */
const checks = [
  ['format and lint', 'biome', 'check', '--error-on-warnings', '.'],
  ['types of the packages', 'tsc', '-b'],
  ['types of tests, benches and scripts', 'tsc', '-p', 'tsconfig.check.json'],
  ['layers', 'depcruise', '--config', '.dependency-cruiser.mjs', 'packages/*/src', 'e2e/src', 'bench/src'],
  ['unused code', 'knip', '--no-progress'],
  ['lock file', 'npm', 'ci', '--dry-run', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
  ['file lengths', process.execPath, 'scripts/file-lengths.mjs'],
  ['links and settings of the pages', process.execPath, 'scripts/check-docs.mjs'],
  ['no state in modules', process.execPath, 'scripts/check-state.mjs'],
  ['words of the field', process.execPath, 'scripts/check-words.mjs'],
];
if (existsSync(join(root, 'scripts/db-types.mjs'))) {
  checks.push(['generated table types', process.execPath, 'scripts/db-types.mjs', '--check']);
}
checks.push(['sizes of the client libraries', 'size-limit']);
checks.push(['packages as they are published', process.execPath, 'scripts/check-packages.mjs']);
checks.push(['stored web app and scripts', process.execPath, 'scripts/stored-app.mjs', '--check']);
checks.push(['description of the API', process.execPath, 'scripts/openapi.mjs', '--check']);

await install('1/2');
console.log(`[2/2] ${checks.length} checks`);
const failures = [];
for (const [name, command, ...args] of checks) {
  const took = stopwatch();
  const program = existsSync(join(root, 'node_modules/.bin', command)) ? join(root, 'node_modules/.bin', command) : command;
  const { code, output } = await run(program, args, { quiet: true });
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name} (${took()})`);
  if (code === 0) continue;
  failures.push(name);
  console.log(output.trimEnd());
}
console.log(failures.length ? `\nFailed: ${failures.join(', ')}` : '\nAll checks passed');
process.exit(failures.length ? 1 : 0);
