// `npm run version`: sets every package to the version that the changesets require, and moves their texts to CHANGELOG.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, PUBLISHED, root, run } from './run.mjs';

/** @typedef {{ releases: { name: string, newVersion: string }[], changesets: { summary: string, releases: { name: string }[] }[] }} Status */

/** Output of `changeset status`; not in git. */
const STATUS = 'node_modules/.changesets.json';
/** Files that repeat the version because they cannot read package.json at run time. */
const CONSTANTS = ['browser', 'node', 'react-native'].map((name) => `packages/${name}/src/version.ts`);
/** A changeset of one of these packages stands under "The service"; all others stand under "Client libraries". */
const SERVICE = ['@tidemark/server', '@tidemark/charts', '@tidemark/player', '@tidemark/page-scripts'];
/** The part of a changeset that stands first in the section of a release: what somebody who runs the service has to do. */
const DUTY = /^Operators: (.*)/ms;
/** The heading of a release in CHANGELOG.md. */
const HEADING_OF_A_RELEASE = /^## /m;

const status = await readStatus();
const version = status.releases[0]?.newVersion;
if (!version) {
  console.error('There is no changeset in .changeset: write one with `npx changeset`.');
  process.exit(1);
}
writeChangelog(version, status);
await must('changeset', 'version');
for (const path of CONSTANTS) replaceIn(path, /(VERSION = ')[^']*/, `$1${version}`);
copyAddresses();
await must('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
await must('npm', 'run', 'openapi');
console.log(`Version ${version}: read CHANGELOG.md, then commit.`);

/** @returns {Promise<Status>} */
async function readStatus() {
  await must('changeset', 'status', `--output=${STATUS}`);
  return JSON.parse(readFileSync(join(root, STATUS), 'utf8'));
}

/** Inserts the section of a release above the earlier ones. @param {string} version @param {Status} status */
function writeChangelog(version, { changesets }) {
  const path = join(root, 'CHANGELOG.md');
  const text = readFileSync(path, 'utf8');
  const isService = (/** @type {Status['changesets'][number]} */ { releases }) =>
    releases.some(({ name }) => SERVICE.includes(name));
  const parts = [
    ['The service', changesets.filter(isService)],
    ['Client libraries', changesets.filter((change) => !isService(change))],
  ].filter(([, changes]) => changes?.length);
  const lists = parts.map(([title, changes]) => {
    const texts = /** @type {Status['changesets']} */ (changes).map(({ summary }) => summary.replace(DUTY, '').trim());
    return /** @type {const} */ ([title, texts]);
  });
  const duties = changesets.flatMap(({ summary }) => DUTY.exec(summary)?.[1]?.trim() ?? []).map(capitalized);
  const section = [...(duties.length ? [/** @type {const} */ (['What operators have to do', duties])] : []), ...lists].map(
    ([title, texts]) => `### ${title}\n\n${texts.map((text) => `- ${text.replaceAll('\n', '\n  ')}\n`).join('')}\n`,
  );
  const at = text.match(HEADING_OF_A_RELEASE)?.index ?? text.length;
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(path, `${text.slice(0, at)}## ${version} (${date})\n\n${section.join('')}${text.slice(at)}`);
}

const capitalized = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Copies the project's URLs from the root's package.json to every published package. */
function copyAddresses() {
  const { repository, homepage, bugs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of PUBLISHED) {
    const path = join(root, 'packages', name, 'package.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    Object.assign(manifest, { homepage, bugs, repository: { ...repository, directory: `packages/${name}` } });
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

/** @param {string} path @param {RegExp} pattern @param {string} replacement */
function replaceIn(path, pattern, replacement) {
  const text = readFileSync(join(root, path), 'utf8');
  if (!pattern.test(text)) throw new Error(`${path} has no version to replace`);
  writeFileSync(join(root, path), text.replace(pattern, replacement));
}

/** @param {string} command @param {string[]} args */
async function must(command, ...args) {
  const program = command === 'npm' ? 'npm' : join(root, 'node_modules/.bin', command);
  const result = await run(program, args, { quiet: true });
  if (result.code !== 0) fail([command, ...args].join(' '), result);
}
