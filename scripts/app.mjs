// `npm run app`: from a bare clone to the development server of the web app.
import { checkNode } from './node-version.mjs';

checkNode();
const { install } = await import('./install.mjs');
await install('1/2');
console.log('[2/2] Starting the development server');
const { develop } = await import('../packages/web/develop.mjs');
await develop(5173);
