// `npm run build`: the build steps of `npm start` and `npm test`.
import { checkNode } from './node-version.mjs';

checkNode();
const { buildAll } = await import('./compile.mjs');
const { install } = await import('./install.mjs');
await install('1/2');
await buildAll('2/2');
