// `npm run openapi`: writes openapi.json from the routes and the types of `@tidemark/api` from that; with --check it only reports whether
// both are up to date.
import { run } from './run.mjs';

const args = process.argv.slice(2);
const script = 'packages/server/src/testing/write-openapi.ts';
const { code } = await run(process.execPath, ['--import', 'tsx', script, ...args]);
if (code !== 0) process.exit(code);
const cli = 'packages/api/node_modules/openapi-typescript/bin/cli.js';
const TYPES = 'packages/api/src/schema.gen.ts';
const types = await run(process.execPath, [cli, 'openapi.json', '--output', TYPES, ...args], {
  quiet: true,
});
if (types.code !== 0) console.error(`${TYPES} differs from openapi.json: run npm run openapi\n${types.output}`);
process.exit(types.code);
