// `npm run store-app` builds the web app and the other scripts for browsers, and stores them in one file of the repository, so that
// `npm start` needs neither Vite nor the packages of the app, the player and the browser library. The file names the hash of what it was
// built from: with other sources, `npm start` builds them itself.
// `node scripts/stored-app.mjs --check` fails when the stored files are not what the sources build.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { compressApp, SERVED } from '../packages/web/compress.mjs';
import { packagesBelow } from './locked-packages.mjs';
import { fail, modified, root, run } from './run.mjs';

const FILE = join(root, 'packages/web/stored-app.json.br');
const WEB = 'packages/web';
/** The packages that are built for browsers. */
const BUILT = [WEB, 'packages/page-scripts'];
/** Where the service serves the files from: `app` and `static` in it. */
const DIST = dirname(SERVED);
/** Written last, with the hash of the stored files that are unpacked; a build of the app empties its folder. */
const UNPACKED = join(SERVED, '.unpacked');

/** @typedef {{ sources: string, files: Record<string, string> }} Stored sources: their hash; files: Base64 by path in DIST */

/** @returns {boolean} whether the stored files were built from the sources as they are */
export const isStoredAppCurrent = () => modified(FILE) > 0 && readStored().sources === hashOfSources();

/** Writes the stored files to where the service serves them from, unless they are there. Needs no packages. */
export async function unpackApp() {
  const { sources, files } = readStored();
  if (existsSync(UNPACKED) && readFileSync(UNPACKED, 'utf8') === sources) return;
  for (const folder of ['app', 'static']) rmSync(join(DIST, folder), { recursive: true, force: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(DIST, path)), { recursive: true });
    writeFileSync(join(DIST, path), Buffer.from(content, 'base64'));
  }
  await compressApp(SERVED);
  writeFileSync(UNPACKED, sources);
}

/** Builds the app in a process of its own, because Vite sets `NODE_ENV` of the process that it runs in. @param {string} [folder] */
export async function buildApp(folder = SERVED) {
  const result = await run(process.execPath, [join(root, WEB, 'build.mjs'), folder], { quiet: true });
  if (result.code !== 0) fail('build of the web app', result);
}

/** @returns {Stored} */
function readStored() {
  return JSON.parse(brotliDecompressSync(readFileSync(FILE)).toString());
}

/** @returns {string} SHA-256 of the sources of the packages, those of the packages they consist of, and the versions of all others */
function hashOfSources() {
  const hash = createHash('sha256');
  const folders = [...BUILT];
  for (const { path, version } of packagesBelow(BUILT, { dev: true })) {
    if (path.includes('node_modules/')) hash.update(`${path} ${version}\n`);
    else folders.push(path);
  }
  for (const folder of folders) {
    for (const path of sourcesOf(join(root, folder)))
      hash.update(`${folder}/${path}\n`).update(readFileSync(join(root, folder, path)));
  }
  return hash.digest('hex');
}

/** @param {string} folder of a package @returns {string[]} paths of what its build reads */
function sourcesOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile() && /\.(html|mjs|json)$/.test(entry.name)).map(({ name }) => name);
  const sources = readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    // the development server alone shows it
    .filter((path) => !path.startsWith('src/gallery/'));
  return [...own, ...sources].sort();
}

/** @returns {Promise<Stored>} */
async function buildFromSources() {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-app-'));
  try {
    await buildApp(join(folder, 'app'));
    // imported late: it needs packages
    const { bundleScripts } = await import('../packages/page-scripts/bundle.mjs');
    await bundleScripts(join(folder, 'static'));
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.br'))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
    const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path)).toString('base64')]));
    return { sources: hashOfSources(), files };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const built = await buildFromSources();
  if (!process.argv.includes('--check')) {
    writeFileSync(FILE, brotliCompressSync(JSON.stringify(built)));
    console.log(`The web app and the scripts are stored in ${FILE.slice(root.length + 1)}`);
  } else if (modified(FILE) === 0 || JSON.stringify(readStored()) !== JSON.stringify(built)) {
    console.error('The stored web app and scripts are not what the sources build: npm run store-app stores it');
    process.exit(1);
  }
}
