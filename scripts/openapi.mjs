// `npm run openapi`: writes openapi.json from the routes; with --check it only says whether the file is up to date.
import { run } from './run.mjs';

const script = 'packages/server/src/testing/write-openapi.ts';
const { code } = await run(process.execPath, ['--import', 'tsx', script, ...process.argv.slice(2)]);
process.exit(code);
