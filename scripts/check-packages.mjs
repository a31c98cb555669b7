// Packs the published packages and checks the tarballs: publint the package, attw its types. Then installs all of them
// as users do, without network, in a folder where a package finds only what its package.json names: every file is imported in
// plain Node.js, and all types and the code of the READMEs are compiled.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { buildCommonJs } from './commonjs.mjs';
import { PUBLISHED, root, run } from './run.mjs';

/**
 * @typedef {{ path: string }} PackedFile
 * @typedef {{ name: string, version: string, filename: string, files: PackedFile[] }} Packed the output of `npm pack` for one package
 * @typedef {{ private?: boolean, bin?: Record<string, string>, homepage?: string, exports: Record<string, unknown>, dependencies?: Record<string, string>, peerDependencies?: Record<string, string> }} Manifest
 */

/** @type {string} */
const HOMEPAGE = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).homepage;
/** What the code of READMEs takes from elsewhere, and we have not. */
const NOT_HERE = ['react-native', '@react-native-async-storage/async-storage'];
/** Checks the packages' own declarations only once, because that takes as long as everything else. */
const RESOLUTIONS = [
  { module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true },
  { module: 'nodenext', moduleResolution: 'nodenext', skipDefaultLibCheck: true },
];
/** How older CommonJS applications, such as most on Express, are compiled. */
const NODE10 = { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0', skipLibCheck: true };
const bin = (/** @type {string} */ name) => join(root, 'node_modules/.bin', name);

const folder = mkdtempSync(join(tmpdir(), 'tidemark-packages-'));
const app = join(folder, 'app');
let failed = false;
try {
  const packed = await pack();
  for (const one of packed) await install(one, packed);
  if (!failed) await inPairs([...looks(packed), ...uses(packed)]);
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(failed ? 1 : 0);

/** @returns {Promise<Packed[]>} */
async function pack() {
  await buildCommonJs();
  const paths = PUBLISHED.map((name) => join(root, 'packages', name));
  const args = ['pack', ...paths, '--pack-destination', folder, '--json', '--loglevel=error'];
  const { code, output } = await run('npm', args, { quiet: true });
  if (code === 0) return JSON.parse(output.slice(output.indexOf('[\n')));
  complain('npm pack', output);
  return [];
}

/** The folder that a package is unpacked into; its imports resolve to the packages beside it only. @param {string} name */
function shelfOf(name) {
  return join(folder, name.replace('/', '+'), 'node_modules');
}

/** @param {Packed} one @param {Packed[]} packed */
async function install({ name, filename, files }, packed) {
  const shelf = shelfOf(name);
  const path = join(shelf, name);
  mkdirSync(path, { recursive: true });
  const { code, output } = await run('tar', ['-xzf', join(folder, filename), '-C', path, '--strip-components=1'], {
    quiet: true,
  });
  if (code !== 0) return complain(`tar ${filename}`, output);

  const paths = new Set(files.map((file) => file.path));
  for (const needed of ['README.md', 'LICENSE']) if (!paths.has(needed)) complain(name, `${needed} is missing`);
  for (const ours of paths) if (/\.test\.|buildinfo/.test(ours)) complain(name, `${ours} is for us alone`);
  for (const map of paths) {
    if (!map.endsWith('.js.map')) continue;
    // source maps of type-only files may name no source
    const types = map.replace(/^dist\//, 'src/').replace(/\.js\.map$/, '.ts');
    const [source = relative(dirname(map), types)] = JSON.parse(readFileSync(join(path, map), 'utf8')).sources;
    // stale output of deleted sources would be published, too
    if (!paths.has(join(dirname(map), source)))
      complain(name, `${map} is of a source that is not in the package: build anew without dist/`);
  }

  const { private: isPrivate, homepage, dependencies = {}, peerDependencies = {} } = manifestOf(name);
  if (isPrivate) complain(name, 'is private');
  if (homepage !== HOMEPAGE) complain(name, `its homepage is not ${HOMEPAGE}: run npm run version`);
  for (const [dependency, range] of Object.entries({ ...dependencies, ...peerDependencies })) {
    const ours = packed.find((other) => other.name === dependency);
    if (dependency.startsWith('@tidemark/') && ours?.version !== range) {
      complain(name, `depends on ${dependency}@${range}, published is ${ours?.version ?? 'none'}`);
    } else link(shelf, dependency, ours ? join(shelfOf(dependency), dependency) : installed(name, dependency));
  }
  // the app has what it asks for, and their peers
  link(join(app, 'node_modules'), name, path);
  for (const peer of Object.keys(peerDependencies)) link(join(app, 'node_modules'), peer, installed(name, peer));
}

/** @param {string} name @returns {Manifest} */
function manifestOf(name) {
  return JSON.parse(readFileSync(join(shelfOf(name), name, 'package.json'), 'utf8'));
}

/** The folder of a third-party package. @param {string} name @param {string} dependency */
function installed(name, dependency) {
  const own = join(root, 'packages', name.replace('@tidemark/', ''), 'node_modules', dependency);
  return existsSync(own) ? own : join(root, 'node_modules', dependency);
}

/** @param {string} shelf @param {string} name @param {string} target */
function link(shelf, name, target) {
  const path = join(shelf, name);
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) symlinkSync(target, path);
}

/** Whether a package can be loaded with `require`. @param {Packed} one */
function isCommonJs({ name }) {
  return Object.values(manifestOf(name).exports).some((entry) => Object(entry).require);
}

/** @param {Packed[]} packed @returns {string[][]} commands that lint a package */
function looks(packed) {
  return packed.flatMap((one) => [
    [
      bin('attw'),
      join(folder, one.filename),
      // older resolutions cannot find the types of packages that are ES modules alone
      ...['--profile', isCommonJs(one) ? 'strict' : 'esm-only'],
      ...['--no-definitely-typed', '--no-emoji', '--format', 'ascii'],
    ],
    [bin('publint'), join(folder, one.filename), '--strict'],
  ]);
}

/** @param {Packed[]} packed @returns {string[][]} commands that use the packages */
function uses(packed) {
  const entries = packed.flatMap(({ name }) => Object.keys(manifestOf(name).exports).map((path) => join(name, path)));
  const commands = packed.flatMap(({ name }) =>
    Object.values(manifestOf(name).bin ?? {}).map((path) => join(shelfOf(name), name, String(path))),
  );
  const files = packed
    .flatMap(({ name, files }) => files.map(({ path }) => join(shelfOf(name), name, path)))
    // commands run instead of being imported; their CommonJS form is not one
    .filter((path) => path.endsWith('.js') && !commands.includes(path.replace('/dist/cjs/', '/dist/')));
  writeFileSync(join(app, 'package.json'), JSON.stringify({ type: 'module' }));
  const script = join(app, 'imports.js');
  writeFileSync(script, [...entries, ...files].map((path) => `await import(${JSON.stringify(path)});\n`).join(''));

  writeFileSync(join(app, 'entries.ts'), entries.map((path, at) => `export * as entry${at} from '${path}';\n`).join(''));
  writeFileSync(join(app, 'not-here.d.ts'), NOT_HERE.map((name) => `declare module '${name}';\n`).join(''));
  for (const { name } of packed) {
    const readme = readFileSync(join(shelfOf(name), name, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```(js|tsx?)\n(.*?)^```$/gms)];
    if (!blocks.length) complain(name, 'README.md shows no code');
    for (const [at, [, language = '', code = '']] of blocks.entries()) {
      writeFileSync(join(app, `${name.replace(/.*\//, '')}-${at}.${language.replace('js', 'ts')}`), code);
    }
  }
  const programs = RESOLUTIONS.map((resolution) => {
    const compilerOptions = { strict: true, noEmit: true, jsx: 'react-jsx', target: 'es2023', types: [], ...resolution };
    const config = join(app, `tsconfig.${resolution.moduleResolution}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] }));
    return [bin('tsc'), '-p', config];
  });
  const helps = commands.map((path) => [process.execPath, path, '--help']);
  return [...programs, [process.execPath, script], ...helps, ...usesOfCommonJs(packed)];
}

/** @param {Packed[]} packed @returns {string[][]} commands of an application without ES modules */
function usesOfCommonJs(packed) {
  const old = join(app, 'commonjs');
  mkdirSync(old);
  writeFileSync(join(old, 'package.json'), JSON.stringify({ type: 'commonjs' }));
  const entries = packed
    .filter(isCommonJs)
    .flatMap(({ name }) => Object.keys(manifestOf(name).exports).map((path) => join(name, path)));
  const script = join(old, 'requires.js');
  writeFileSync(script, entries.map((path) => `require(${JSON.stringify(path)});\n`).join(''));
  writeFileSync(join(old, 'entries.ts'), entries.map((path, at) => `export * as entry${at} from '${path}';\n`).join(''));
  const config = join(old, 'tsconfig.json');
  const compilerOptions = { strict: true, noEmit: true, target: 'es2022', types: [], ...NODE10 };
  writeFileSync(config, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  return [
    [bin('tsc'), '-p', config],
    // as Jest and older versions of Node.js load them: an ES module cannot be required
    [process.execPath, '--no-experimental-require-module', script],
  ];
}

/** Runs commands, two at a time. @param {string[][]} commands */
async function inPairs(commands) {
  const left = commands.values();
  const work = async () => {
    for (const [command = '', ...args] of left) {
      const { code, output } = await run(command, args, { quiet: true });
      if (code !== 0) complain([command, ...args].join(' '), output);
    }
  };
  await Promise.all([work(), work()]);
}

/** @param {string} what @param {string} why */
function complain(what, why) {
  failed = true;
  console.log(`${what}: ${why}`);
}
