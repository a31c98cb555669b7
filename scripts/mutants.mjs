// npm run mutants -- [N] [--seed S]: mutation testing: changes N random lines of the server one at a time, and lists the changes that no test of their module catches.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = 'packages/server/src';
/** Folders whose lines are changed. */
const FOLDERS = ['ingestion', 'adapters', 'evaluation', 'jobs', 'analytics/cache'];
/** Resources whose tests reach a folder through HTTP. */
const CALLERS = {
  'ingestion/identities': ['resources/persons'],
  'ingestion/groups': ['resources/groups'],
  'ingestion/taxonomy': ['resources/taxonomy'],
  'analytics/cache': ['resources/queries', 'resources/insights'],
};
/** Timeout of the tests, milliseconds; a timeout counts as caught. */
const TIMEOUT_MS = 10 * 60_000;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' } } });
const count = Number(positionals[0] ?? 10);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const random = generator(seed);

// a signal ends the command after the tests under way, once the source is restored
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/** @typedef {{ file: string, start: number, end: number, text: string, what: string, line: number }} Mutant */

const K = ts.SyntaxKind;
/** Replacement of each operator. */
const OPERATORS = new Map([
  [K.LessThanToken, '<='],
  [K.LessThanEqualsToken, '<'],
  [K.GreaterThanToken, '>='],
  [K.GreaterThanEqualsToken, '>'],
  [K.EqualsEqualsEqualsToken, '!=='],
  [K.ExclamationEqualsEqualsToken, '==='],
  [K.AmpersandAmpersandToken, '||'],
  [K.BarBarToken, '&&'],
  [K.PlusToken, '-'],
  [K.MinusToken, '+'],
]);

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, SOURCE, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${SOURCE}/${folder}/${name}`),
).filter((file) => file.endsWith('.ts') && !/\.test\.ts$|\.gen\.ts$|\/contract\.ts$/.test(file));
const mutants = files.flatMap(mutantsOf);
console.log(`${mutants.length} mutants in ${files.length} files, seed ${seed}`);

let survived = 0;
for (let i = 0; i < count && mutants.length > 0; i++) {
  const [mutant] = mutants.splice(Math.floor(random() * mutants.length), 1);
  if (mutant && !isKilled(mutant)) survived += 1;
}
console.log(`${count - survived} killed, ${survived} survived`);

/** @param {string} file @returns {Mutant[]} */
function mutantsOf(file) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Mutant[]} */
  const found = [];
  /** @param {ts.Node} node @param {string} replacement @param {string} what */
  const add = (node, replacement, what) => {
    const [start, end] = [node.getStart(source), node.end];
    const line = source.getLineAndCharacterOfPosition(start).line;
    if (line !== source.getLineAndCharacterOfPosition(end).line) return;
    found.push({ file, start, end, text: replacement, what, line: line + 1 });
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return;
    const own = () => node.getText(source);
    const condition =
      ts.isIfStatement(node) || ts.isWhileStatement(node) ? node.expression : ts.isConditionalExpression(node) && node.condition;
    if (condition) add(condition, `!(${condition.getText(source)})`, 'negate the condition');
    if (ts.isBinaryExpression(node)) {
      const replacement = OPERATORS.get(node.operatorToken.kind);
      if (replacement) add(node.operatorToken, replacement, `${node.operatorToken.getText(source)} becomes ${replacement}`);
    }
    if (ts.isAwaitExpression(node)) add(node, `(${node.expression.getText(source)})`, 'drop await');
    if (ts.isReturnStatement(node)) add(node, node.expression ? `${node.expression.getText(source)};` : ';', 'drop return');
    if (ts.isThrowStatement(node)) add(node, ';', 'drop throw');
    if (ts.isExpressionStatement(node)) add(node, ';', `drop ${own().slice(0, 60)}`);
    if (ts.isNumericLiteral(node)) add(node, `(${own()} + 1)`, `${own()} becomes one more`);
    if (node.kind === K.TrueKeyword) add(node, 'false', 'true becomes false');
    if (node.kind === K.FalseKeyword) add(node, 'true', 'false becomes true');
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Runs tests on the changed source, the nearest first, until some fail; restores the source. @param {Mutant} mutant */
function isKilled({ file, start, end, text, what, line }) {
  const path = join(ROOT, file);
  const original = readFileSync(path, 'utf8');
  const restore = () => writeFileSync(path, original);
  process.once('exit', restore);
  writeFileSync(path, original.slice(0, start) + text + original.slice(end));
  try {
    const killer = testsOf(file).find((folders) => !pass(folders));
    console.log(`${killer ? 'killed  ' : 'SURVIVED'} ${file}:${line} ${what} (${(killer ?? testsOf(file).flat()).join(', ')})`);
    return killer !== undefined;
  } finally {
    restore();
    process.off('exit', restore);
  }
}

/** Whether all tests of some folders pass. @param {string[]} folders */
function pass(folders) {
  const { status, signal } = spawnSync('npx', ['vitest', 'run', ...folders, '--bail', '1', '--retry', '0'], {
    cwd: ROOT,
    stdio: 'ignore',
    timeout: TIMEOUT_MS,
  });
  // an interrupt of this command is no result
  if (signal === 'SIGINT') process.exit(130);
  return status === 0;
}

/** Folders whose tests concern a file: the nearest one upwards that has tests, then its module and the resources that call it. @param {string} file */
function testsOf(file) {
  const [module = '', part = ''] = file.slice(SOURCE.length + 1).split('/');
  const whole = join(SOURCE, module === 'adapters' ? join(module, part) : module);
  const callers = Object.entries(CALLERS).flatMap(([folder, names]) =>
    folder === join(module, part) ? names.map((name) => join(SOURCE, name)) : [],
  );
  let nearest = dirname(file);
  const hasTests = () => readdirSync(join(ROOT, nearest)).some((name) => name.endsWith('.test.ts'));
  while (nearest !== whole && !hasTests()) nearest = dirname(nearest);
  return nearest === whole ? [[whole, ...callers]] : [[nearest], [whole, ...callers]];
}

/** Random numbers from 0 to 1 by a seed (mulberry32). @param {number} from */
function generator(from) {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
