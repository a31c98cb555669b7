import { readFile, writeFile } from 'node:fs/promises';
import { describeApi } from '../resources/schema/index.js';
import { VERSION } from '../version.js';
import { appWithoutStores } from './app-without-stores.js';

// Derives openapi.json from the routes; `--check` fails when the file says something else.
const target = new URL('../../../../openapi.json', import.meta.url);
const app = await appWithoutStores();
const text = `${JSON.stringify(describeApi(app, VERSION), null, 2)}\n`;
await app.close();
if (!process.argv.includes('--check')) await writeFile(target, text);
else if ((await readFile(target, 'utf8').catch(() => '')) !== text) {
  console.error('openapi.json differs from what the routes say: run npm run openapi');
  process.exitCode = 1;
}
