// `npm start`: from a bare clone to a running service. Steps that are up to date take milliseconds.
import { checkNode } from './node-version.mjs';

checkNode();
// imported late: older Node versions must get as far as the sentence above
const { buildToStart } = await import('./compile.mjs');
const { install } = await import('./install.mjs');
const { isStoredAppCurrent, unpackApp } = await import('./stored-app.mjs');
// the stored app needs no packages, so its compression takes place while npm waits for the disk
await Promise.all([install('1/3', { toStart: true }), isStoredAppCurrent() ? unpackApp() : null]);
await buildToStart('2/3');
console.log('[3/3] Starting the service');
// in this process, so that signals reach the service and its exit code is ours
const main = new URL('../packages/server/dist/bundle/tidemark.js', import.meta.url);
process.argv = [process.execPath, main.pathname, 'serve', ...process.argv.slice(2)];
await import(main.href);
