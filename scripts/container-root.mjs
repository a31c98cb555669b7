// `npm run container-test` follows the Dockerfile in a Debian root instead of a container: what the base image has comes from debootstrap
// and npm, the steps are read from the Dockerfile, and run in a chroot as its user. Then the service starts by ENTRYPOINT and CMD, its
// HEALTHCHECK has to pass, an event has to arrive, and STOPSIGNAL has to end it in order. Needs root, debootstrap, a build and the network.
// Of the first stage only the release is made, on this machine, from the build that is there.
// --file: another Dockerfile; --root FOLDER: where the root is made; --keep: leave it.
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseDockerfile, wordsOf } from './container/dockerfile.mjs';
import { makeRoot, networkOf, runIn, startIn, succeedsIn } from './container/root.mjs';
import { root as clone, fail, run, stopwatch } from './run.mjs';

const text = /** @type {const} */ ({ type: 'string' });
const { values } = parseArgs({ options: { file: text, root: text, keep: { type: 'boolean', default: false } } });
const PROJECT_KEY = 'tmk_key-of-the-service-in-a-container-0000';
const PERSONAL_KEY = 'tms_personal-key-of-the-service-in-a-container';
const READY_MS = 180_000;

const [first, final, ...others] = parseDockerfile(readFileSync(values.file ?? join(clone, 'Dockerfile'), 'utf8'));
if (!first || !final || others.length) throw new Error('This test follows a Dockerfile of two stages.');
const home = values.root ?? mkdtempSync(join(tmpdir(), 'tidemark-container-'));
const folder = join(home, 'root');
const release = join(home, 'release');
/** @type {ReturnType<typeof startIn> | undefined} */
let service;
try {
  await makeRelease();
  let took = stopwatch();
  const version = makeRoot(folder, final.image);
  // that of mkdtemp is closed to the user
  for (const path of [home, folder]) chmodSync(path, 0o755);
  console.log(`ok  ${final.image}: Debian and Node.js ${version} (${took()})`);
  const image = followSteps();
  took = stopwatch();
  const port = await freePort();
  service = await start(image, port);
  console.log(`ok  ENTRYPOINT and CMD: healthy as ${image.container.user} (${took()})`);
  checkRights(image);
  await sendEvent(port);
  await stop(image.stopSignal);
  console.log('The steps of the Dockerfile work.');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  if (service && service.exitCode === null) service.kill('SIGKILL');
  if (!values.keep) rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

/** The release of the first stage. */
async function makeRelease() {
  const took = stopwatch();
  const [command, ...more] = first?.steps.filter(({ word }) => word === 'RUN').map(({ rest }) => rest) ?? [];
  const args =
    command?.startsWith('node ') && !more.length ? command.replace(' /release', ` ${release}`).split(' ').slice(1) : null;
  if (!args?.includes(release)) throw new Error(`The first stage should write /release with one command: ${command}`);
  const result = await run(process.execPath, [...args, '--built'], { quiet: true });
  if (result.code !== 0) fail(`${command} --built`, result);
  console.log(`ok  RUN ${command} (on this machine, with --built; ${took()})`);
}

/** Follows the steps of the final stage. */
function followSteps() {
  /** @type {import('./container/root.mjs').Container} */
  const container = { root: folder, user: 'root', cwd: '/', env: {} };
  const network = networkOf(folder);
  const image = { container, stopSignal: 'SIGTERM', health: [''], entrypoint: [''], command: [''] };
  for (const { word, rest } of final?.steps ?? []) {
    const took = stopwatch();
    if (word === 'WORKDIR') {
      container.cwd = rest;
      mkdirSync(join(folder, rest), { recursive: true });
    } else if (word === 'COPY') copyFrom(rest, join(folder, container.cwd));
    else if (word === 'RUN') runIn({ ...container, env: { ...container.env, ...network } }, ['/bin/sh', '-c', rest]);
    else if (word === 'USER') container.user = rest;
    else if (word === 'ENV') for (const pair of wordsOf(rest)) Object.assign(container.env, pairOf(pair));
    else if (word === 'STOPSIGNAL') image.stopSignal = rest;
    else if (word === 'HEALTHCHECK') image.health = wordsOf(rest.slice(rest.indexOf('CMD ') + 4));
    else if (word === 'ENTRYPOINT') image.entrypoint = wordsOf(rest);
    else if (word === 'CMD') image.command = wordsOf(rest);
    // VOLUME and EXPOSE do nothing without a container engine
    console.log(`ok  ${word} ${rest.length > 100 ? `${rest.slice(0, 100)}…` : rest} (${took()})`);
  }
  return image;
}

/** @param {string} rest of COPY @param {string} cwd */
function copyFrom(rest, cwd) {
  const [from, ...paths] = wordsOf(rest);
  const target = paths.pop();
  if (from !== `--from=${first?.name}` || target !== './') throw new Error(`This test does not follow COPY ${rest}`);
  for (const pattern of paths) {
    const [, start = '', end = ''] = /^\/release\/([^*]*)\*?([^*]*)$/.exec(pattern) ?? [];
    const isMeant = (/** @type {string} */ name) =>
      pattern.includes('*') ? name.startsWith(start) && name.endsWith(end) : name === start;
    const found = readdirSync(release).filter(isMeant);
    if (!found.length) throw new Error(`The release has no ${pattern}`);
    for (const name of found) cpSync(join(release, name), join(cwd, name));
  }
}

/** @param {string} pair such as `HOST=0.0.0.0` */
function pairOf(pair) {
  const [name = '', ...value] = pair.split('=');
  return { [name]: value.join('=') };
}

/** @param {ReturnType<typeof followSteps>} image @param {number} port */
async function start({ container, health, entrypoint, command }, port) {
  const env = { ...container.env, PORT: String(port) };
  const account = {
    TIDEMARK_INIT_EMAIL: 'a@example.com',
    TIDEMARK_INIT_PASSWORD: 'a passphrase 4711',
    TIDEMARK_INIT_PROJECT_KEY: PROJECT_KEY,
    TIDEMARK_INIT_PERSONAL_KEY: PERSONAL_KEY,
  };
  const child = startIn({ ...container, env: { ...env, ...account } }, [...entrypoint, ...command]);
  service = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-20_000);
    });
  }
  const deadline = performance.now() + READY_MS;
  while (!succeedsIn({ ...container, env }, health)) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`The service did not get healthy:\n${output}`);
    await sleep(500);
  }
  const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
  if (uid === '0') throw new Error('The service runs as root.');
  return child;
}

/** What the user may write, and what not. @param {ReturnType<typeof followSteps>} image */
function checkRights({ container }) {
  const data = container.env['TIDEMARK_DATA'] ?? '';
  const says = runIn({ ...container, cwd: '/' }, [
    'sh',
    '-c',
    `stat -c '%U %a' ${data} && test ! -w /opt/tidemark && test ! -w /usr`,
  ]);
  if (says !== 'node 700\n') throw new Error(`${data} belongs to another user or is open to others: ${says}`);
  console.log(`ok  ${data} belongs to node alone, and the program cannot be changed by it`);
}

/** Sends an event and reads it. @param {number} port */
async function sendEvent(port) {
  const url = `http://127.0.0.1:${port}`;
  const event = { event: 'from a container', distinct_id: 'ada', uuid: crypto.randomUUID(), timestamp: new Date().toISOString() };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${PERSONAL_KEY}` };
  const post = async (/** @type {string} */ path, /** @type {object} */ body) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return `${response.status} ${await response.text()}`;
  };
  const sent = await post('/batch/', { api_key: PROJECT_KEY, batch: [event] });
  const query = { kind: 'HogQLQuery', query: `select count() from events where event = 'from a container'` };
  const read = await post('/api/projects/@current/query/', { query, refresh: 'force_blocking' });
  if (!sent.startsWith('200') || !read.includes('"results":[[1]]')) throw new Error(`The event did not arrive: ${sent}, ${read}`);
  console.log('ok  an event was sent to it, and a query finds it');
}

/** @param {string} signal */
async function stop(signal) {
  if (!service) return;
  const took = stopwatch();
  service.kill(/** @type {NodeJS.Signals} */ (signal));
  const [code] = await once(service, 'close');
  if (code !== 0) throw new Error(`After ${signal} the service ended with code ${code}.`);
  console.log(`ok  STOPSIGNAL ${signal}: it ended in order (${took()})`);
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}
