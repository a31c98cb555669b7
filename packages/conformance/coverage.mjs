// Which behaviours of LIST.md are tested, on which client: read from the titles of the tests.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @typedef {'B' | 'M' | 'N'} Who browser, React Native, node */
/** @typedef {{ id: string, who: Who[], what: string, reasons: Partial<Record<Who, string | undefined>> }} Line */
/** @typedef {'itself' | 'core' | 'reason' | 'missing'} State tested on the client; in the core under it; said why not; neither */

/** @type {Record<Who, string>} */
export const CLIENTS = { B: 'browser', M: 'react-native', N: 'node' };

/**
 * Where tests are, and on which clients they run.
 * @type {{ folder: string, files: RegExp, who: string, core?: true }[]}
 */
const PLACES = [
  { folder: 'packages/conformance/src/every', files: /\.ts$/, who: 'BMN' },
  { folder: 'packages/conformance/src/person', files: /\.ts$/, who: 'BM' },
  { folder: 'packages/conformance/src', files: /^browser[\w-]*\.test\.ts$/, who: 'B' },
  { folder: 'packages/conformance/src', files: /^react-native\.test\.ts$/, who: 'M' },
  { folder: 'packages/browser/src', files: /\.test\.tsx?$/, who: 'B' },
  { folder: 'e2e/src', files: /^replay[\w-]*\.test\.ts$/, who: 'B' },
  { folder: 'packages/react/src', files: /(\.test|-contract)\.tsx?$/, who: 'BM' },
  { folder: 'packages/react-native/src', files: /\.test\.tsx?$/, who: 'M' },
  { folder: 'packages/node/src', files: /\.test\.ts$/, who: 'N' },
  { folder: 'e2e/src', files: /^node[\w-]*\.test\.ts$/, who: 'N' },
  { folder: 'packages/client/src', files: /\.test\.ts$/, who: 'BM', core: true },
];

/** @returns {Line[]} */
export function readList() {
  const rows = readFileSync(join(root, 'packages/conformance/LIST.md'), 'utf8').matchAll(/^\| ([A-Z]{2,3}-\d+) \|(.*)\|$/gm);
  return [...rows].map(([, id = '', rest = '']) => {
    const [who = '', what = '', why = ''] = rest.split('|').map((cell) => cell.trim());
    /** @type {Line['reasons']} */
    const reasons = {};
    for (const client of clientsOf('BMN')) reasons[client] = new RegExp(`(?:^|; )${client}: (.+?)(?=$|; [BMN]: )`).exec(why)?.[1];
    return { id, who: clientsOf(who), what, reasons };
  });
}

/** @returns {Map<string, { who: Who[], core: boolean, file: string }[]>} the tests of each id */
export function readTests() {
  const tests = new Map();
  for (const { folder, files, who, core = false } of PLACES) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!files.test(name)) continue;
      const file = `${folder}/${name}`;
      for (const id of idsIn(readFileSync(join(root, file), 'utf8'))) {
        tests.set(id, [...(tests.get(id) ?? []), { who: clientsOf(who), core, file }]);
      }
    }
  }
  return tests;
}

/** @param {string} source @returns {Set<string>} what stands in titles; comments do not count */
function idsIn(source) {
  const code = source.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
  return new Set(code.match(/\b[A-Z]{2,3}-\d+\b/g));
}

/** @param {string} letters @returns {Who[]} */
function clientsOf(letters) {
  return /** @type {Who[]} */ (Object.keys(CLIENTS)).filter((who) => letters.includes(who));
}

/** @returns {{ line: Line, who: Who, state: State }[]} one row for each line and client that it concerns */
export function coverage(list = readList(), tests = readTests()) {
  return list.flatMap((line) => {
    const of = tests.get(line.id) ?? [];
    return line.who.map((who) => {
      const here = of.filter((test) => test.who.includes(who));
      /** @type {State} */
      const state = here.some(({ core }) => !core) ? 'itself' : line.reasons[who] ? 'reason' : here.length ? 'core' : 'missing';
      return { line, who, state };
    });
  });
}
