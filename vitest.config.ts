import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.mjs';

/** Of each project. The times are for a machine that stalls: a test that waits waits for the thing itself, not for these. */
const patience = {
  // one second chance in CI, whose machine may stall for seconds: such tests are named at the end of the run
  retry: process.env.CI ? 1 : 0,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000, interval: 50 } },
  setupFiles: [fileURLToPath(new URL('vitest.setup.ts', import.meta.url))],
};

/** Keep what they were given in their modules, such as the clients of a page by name: each file of theirs gets modules of its own. */
const remembering = 'packages/{browser,conformance,react}/src/**/*.test.{ts,tsx}';

/** Stories of the app: what their modules keep is made anew for each file. */
const STORIES = 'e2e/src/web/*.test.ts';

const ANALYTICS = 'packages/server/src/analytics';
/** Tests that a second project runs on two shards, with the answers of one server: what SQL may see, and each kind of query. */
const ON_TWO_SHARDS = [`${ANALYTICS}/kinds/**/*.test.ts`, `${ANALYTICS}/{events,trends}-query.test.ts`];
/** They ask no event store. */
const WITHOUT_STORE = ['experiment/comparison', 'experiment/stats/*', 'trends/formula', 'unsupported'].map(
  (name) => `${ANALYTICS}/kinds/${name}.test.ts`,
);

/* Files that run at once, for a machine with two cores. The groups run one after the other. */
/** Tests of crashes and of people who wait leave the processor to others. */
const BROWSERS = { maxWorkers: 3, sequence: { groupOrder: 1 } };
/** They wait for their stores two fifths of the time. */
const STORES = { maxWorkers: 4, sequence: { groupOrder: 2 } };
const REST = { maxWorkers: 3, sequence: { groupOrder: 3 } };

export default defineConfig({
  test: {
    // once for the run: projects see what it provides
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    // they begin in this order; the files of the last ones are short, so that the workers end at the same time
    projects: [
      { test: { ...patience, ...BROWSERS, name: 'e2e', include: ['e2e/src/**/*.test.ts'], exclude: [STORIES] } },
      // loading the browser's driver and the routes of the app for each file anew took seconds of processor time
      { test: { ...patience, ...BROWSERS, name: 'stories', include: [STORIES], isolate: false } },
      {
        test: {
          ...patience,
          ...STORES,
          name: 'cluster',
          include: ON_TWO_SHARDS,
          exclude: WITHOUT_STORE,
          globalSetup: ['packages/server/src/testing/cluster-setup.ts'],
          isolate: false,
        },
      },
      {
        test: {
          ...patience,
          ...STORES,
          name: 'server',
          include: ['packages/server/src/**/*.test.ts'],
          // The files of a worker share the modules they import, which are the whole service: loading them anew for each file
          // took longer than most files. It is safe since the service keeps no state in its modules: each service, database and
          // directory is made by its test, and what is remembered is kept under the `deps` it belongs to.
          isolate: false,
        },
      },
      { test: { ...patience, ...REST, name: 'pages', include: [remembering] } },
      {
        test: {
          ...patience,
          ...REST,
          name: 'libraries',
          include: ['packages/*/src/**/*.test.{ts,tsx}', 'bench/src/**/*.test.ts'],
          exclude: [remembering, 'packages/server/**', '**/node_modules/**'],
          // loading what they share for each file anew took as long as their tests
          isolate: false,
        },
      },
    ],
  },
});
