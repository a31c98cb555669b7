import { BaseSequencer } from 'vitest/node';

/** Test files that take longest: begun last, one of them would keep the run from ending while the other workers have nothing left. */
const SLOW = [
  'e2e/src/web/viewer.test.ts',
  'e2e/src/web/every-screen.test.ts',
  'e2e/src/web/privacy.test.ts',
  'e2e/src/web/saves.test.ts',
  'e2e/src/crash.test.ts',
  'e2e/src/web/security.test.ts',
  'e2e/src/web/hanging-store.test.ts',
  'e2e/src/web/settings.test.ts',
  'e2e/src/backup.test.ts',
  'e2e/src/api-page.test.ts',
  'e2e/src/web/insights.test.ts',
  'packages/server/src/commands/move.test.ts',
  'packages/server/src/commands/cluster.test.ts',
  'packages/server/src/worst-requests.test.ts',
  'packages/server/src/adapters/postgres/embedded.test.ts',
  'packages/server/src/adapters/clickhouse/grants.test.ts',
  'packages/server/src/adapters/clickhouse/contract.test.ts',
  'packages/server/src/adapters/postgres/several-addresses.test.ts',
  'packages/server/src/commands/import-project.test.ts',
  'packages/server/src/analytics/cache/interval-parts.test.ts',
];

/** Orders the files of each project as vitest does, with the slow ones first. */
export class SlowFirst extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const rank = (/** @type {import('vitest/node').TestSpecification} */ { moduleId }) => {
      const at = SLOW.findIndex((path) => moduleId.endsWith(path));
      return at < 0 ? SLOW.length : at;
    };
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap((name) => sorted.filter(({ project }) => project.name === name).sort((a, b) => rank(a) - rank(b)));
  }
}
