// Writes the types of the tables that the migrations make; with --check it only reports whether they are up to date.
import { run } from './run.mjs';

const script = 'packages/server/src/testing/write-table-types.ts';
const { code } = await run(process.execPath, ['--import', 'tsx', script, ...process.argv.slice(2)]);
process.exit(code);
