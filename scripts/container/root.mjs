// A Debian root that stands for a container: what the base image has, made by debootstrap and from npm, and commands in it.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What `node:22-bookworm-slim` sets. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** The mounts of a container, in a namespace that ends with the command. */
const MOUNTS = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs -o size=64m tmpfs "$0/dev/shm"';

/**
 * Makes the root of an image such as `node:22-bookworm-slim`: Debian of that name, Node.js of that version with npm, and the user `node`.
 * @param {string} root @param {string} image @returns {string} the version of Node.js
 */
export function makeRoot(root, image) {
  const [, major, suite] = /^node:(\d+)-(\w+)-slim$/.exec(image) ?? [];
  if (!major || !suite) throw new Error(`This test does not know what the image ${image} has.`);
  run('debootstrap', ['--variant=minbase', suite, root, 'http://deb.debian.org/debian']);
  const { node, npm } = fetchNode(major);
  cpSync(join(node, 'bin/node'), join(root, 'usr/local/bin/node'));
  const modules = join(root, 'usr/local/lib/node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(npm, join(modules, 'npm'), { recursive: true });
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
  for (const name of ['resolv.conf', 'hosts']) cpSync(`/etc/${name}`, join(root, 'etc', name), { dereference: true });
  const container = { root, user: 'root', cwd: '/', env: {} };
  runIn(container, ['useradd', '--uid', '1000', '--create-home', '--shell', '/bin/bash', 'node']);
  return runIn(container, ['node', '--version']).trim();
}

/** Node.js and npm from the npm registry, whose checksums npm checks. @param {string} major */
function fetchNode(major) {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-node-'));
  const unpack = (/** @type {string} */ spec) => {
    const place = mkdtempSync(join(folder, 'package-'));
    run('npm', ['pack', spec, '--pack-destination', place, '--loglevel=error']);
    run('tar', ['xzf', join(place, readdirSync(place)[0] ?? ''), '-C', place]);
    return join(place, 'package');
  };
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return { node: unpack(`node-linux-${process.arch}@${major}`), npm: unpack('npm@10') };
}

/**
 * Settings of this machine by which the network is reached, where a proxy stands before it; its certificate is copied into the root.
 * @param {string} root @returns {Record<string, string>}
 */
export function networkOf(root) {
  const { NODE_EXTRA_CA_CERTS: authority, HTTPS_PROXY: proxy } = process.env;
  if (authority) cpSync(authority, join(root, 'etc/proxy.crt'), { dereference: true });
  return { ...(authority && { NODE_EXTRA_CA_CERTS: '/etc/proxy.crt' }), ...(proxy && { HTTPS_PROXY: proxy }) };
}

/** @typedef {{ root: string, user: string, cwd: string, env: Record<string, string> }} Container */

/**
 * The command line that runs a command in a root as its user.
 * @param {Container} container @param {string[]} command @returns {[string, string[]]}
 */
function commandIn({ root, user, cwd, env }, command) {
  const home = user === 'root' ? '/root' : `/home/${user}`;
  const settings = Object.entries({ PATH, HOME: home, ...env }).map(([name, value]) => `${name}=${value}`);
  // a shell in the root goes to the folder, and becomes the command
  const inside = ['env', '-i', ...settings, 'sh', '-c', 'cd "$0" && exec "$@"', cwd, ...command];
  const enter = `${MOUNTS} && exec chroot --userspec="$1" "$0" "\${@:2}"`;
  return ['unshare', ['--mount', 'bash', '-c', enter, root, user, ...inside]];
}

/**
 * Runs a command in a root and returns its output.
 * @param {Container} container @param {string[]} command @throws Error with its output when it fails
 */
export function runIn(container, command) {
  return run(...commandIn(container, command));
}

/** Whether a command in a root ends with 0. @param {Container} container @param {string[]} command */
export function succeedsIn(container, command) {
  return spawnSync(...commandIn(container, command), { stdio: 'ignore' }).status === 0;
}

/** Starts a command in a root; the process is the command itself. @param {Container} container @param {string[]} command */
export function startIn(container, command) {
  return spawn(...commandIn(container, command), { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1e9 });
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? error}`);
  }
}
