// `node packages/web/develop.mjs [PORT]`: the development server of the web app, and its gallery of controls at `/__gallery`.
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { APP } from './build.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
/** The running service; by default where `npm start` runs one. */
const SERVICE = process.env['TIDEMARK_URL'] ?? 'http://127.0.0.1:8000';
const NO_SERVICE = `No service answers at ${SERVICE}. Start one with npm start, or name its address in TIDEMARK_URL.`;
const GALLERY = '/__gallery';

/** What the service does not answer: the addresses of screens and of the gallery, and the files that they load. */
const OWN = `/($|[?]|@|src/|(p|setup|login|invite|reset|${GALLERY.slice(1)})([/?]|$))`;

/**
 * Shows the page of the gallery at each of its addresses.
 * @type {import('vite').Plugin}
 */
const gallery = {
  name: 'gallery',
  configureServer({ middlewares }) {
    middlewares.use((request, _response, next) => {
      if (request.url?.split(/[/?]/)[1] === GALLERY.slice(1)) request.url = '/src/gallery/index.html';
      next();
    });
  },
};

/**
 * Forwards requests to the service under the host that the page has: the service refuses writes of other origins.
 * @type {import('vite').ProxyOptions}
 */
const toService = {
  target: SERVICE,
  configure: (proxy) => {
    proxy.on('error', (_error, _request, response) => {
      if (!('req' in response) || response.headersSent) return;
      const body = { type: 'server_error', code: 'no_service', detail: NO_SERVICE, attr: null };
      response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  },
};

/**
 * Starts the server, and prints its address. It reads the packages of the repository from their sources: none needs a build, and a change of
 * a chart is seen as soon as one of a screen.
 * @param {number} port when it is in use, the next free one
 */
export async function develop(port) {
  const server = await createServer({
    ...APP,
    plugins: [...APP.plugins, gallery],
    cacheDir: `${repository}.cache/vite`,
    resolve: { alias: [{ find: /^@tidemark\/([\w-]+)/, replacement: `${repository}packages/$1/src` }] },
    server: { host: '127.0.0.1', port, proxy: { [`^(?!${OWN})`]: toService } },
  });
  await server.listen();
  const url = server.resolvedUrls?.local[0] ?? '';
  const answers = await fetch(`${SERVICE}/_liveness`).then(
    () => true,
    () => false,
  );
  console.log(answers ? `The app on the data of ${SERVICE}: ${url}` : NO_SERVICE);
  console.log(`The gallery of controls: ${url}${GALLERY.slice(1)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await develop(Number(process.argv[2] ?? 5173));
