// `npm run bench NAME`: builds what a bench needs and runs it; without a name lists the benches.
import { join } from 'node:path';
import { checkNode } from './node-version.mjs';

checkNode();
const { buildAll } = await import('./compile.mjs');
const { install } = await import('./install.mjs');
const { root, run } = await import('./run.mjs');

const [name = '', ...args] = process.argv.slice(2);
const BENCHES = [
  'alternatives',
  'api',
  'app',
  'backup',
  'client',
  'client-losses',
  'client-memory',
  'cluster',
  'exports',
  'flags',
  'flags-local',
  'fuzz',
  'global-install',
  'history-reader',
  'import',
  'import-stories',
  'ingest',
  'kill-rounds',
  'live',
  'player',
  'points',
  'public',
  'query',
  'react',
  'recordings',
  'replay-client',
  'scale-model',
  'seed',
  'servers',
  'stalls',
  'startup',
  'walks',
];
if (!BENCHES.includes(name)) {
  console.error(`npm run bench -- NAME, where NAME is one of ${BENCHES.join(', ')}`);
  process.exit(1);
}
await install('1/3');
await buildAll('2/3');
console.log(`[3/3] Running bench/src/${name}.ts`);
const { code } = await run(join(root, 'node_modules/.bin/tsx'), [join(root, 'bench/src', `${name}.ts`), ...args]);
process.exit(code);
