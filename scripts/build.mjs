// `npm run build`: what `npm start` and `npm test` do before they run anything.
import { checkNode } from './node-version.mjs';

checkNode();
const { build, install } = await import('./prepare.mjs');
await install('1/2');
await build('2/2');
