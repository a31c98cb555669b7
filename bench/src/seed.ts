// npm run bench -- seed DIR [--events 10M] [--persons 1M] [--for SECONDS]: seeds a data directory that `live` and `query` take with
// `--data DIR`. It goes on where an earlier run has stopped, and exits with 1 when it is not complete yet.
import { parseArgs } from 'node:util';
import { eventsIn, seed } from './data.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { events: { type: 'string', default: '10M' }, persons: { type: 'string' }, for: { type: 'string' } },
});
const [directory] = positionals;
if (directory === undefined) throw new Error('Name a directory.');
const events = eventsIn(values.events);
const persons = values.persons === undefined ? Math.min(1_000_000, events / 10) : eventsIn(values.persons);
const until = values.for === undefined ? Number.POSITIVE_INFINITY : performance.now() + Number(values.for) * 1000;
process.exit((await seed(directory, { events, persons }, until)) ? 0 : 1);
