import { expect, test } from 'vitest';
import { loadPrincipal, openProject } from '../../../auth/index.js';
import type { EventsStore, ReadStatement } from '../../../ports/events.js';
import { startTestService } from '../../../testing/service.js';
import { loadDashboard } from './load-dashboard.js';

const COUNT = 7;

test('a slow tile delays no other, and three are computed at a time', async () => {
  const service = await startTestService();
  try {
    const { deps, projectId } = service;
    const project = `/api/projects/${projectId}`;
    const dashboard = (await service.call('POST', `${project}/dashboards/`, { body: { name: 'D' } })).json().id;
    for (let i = 0; i < COUNT; i++) {
      const query = { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query: `select 1 as tile_${i}` } };
      await service.call('POST', `${project}/insights/`, { body: { name: `Tile ${i}`, query, dashboards: [dashboard] } });
    }
    const { id } = (await service.call('GET', '/api/users/@me/')).json();
    const principal = await loadPrincipal(deps, id, null);
    if (!principal) throw new Error('The owner has no access.');
    const access = await openProject(deps, principal, String(projectId));

    let [running, most, ended] = [0, 0, 0];
    let release = () => {};
    const othersEnded = new Promise<void>((resolve) => {
      release = resolve;
    });
    const query: EventsStore['query'] = async (statement: ReadStatement) => {
      running++;
      most = Math.max(most, running);
      // the first tile ends after all others
      if (statement.sql.includes('tile_0')) await othersEnded;
      try {
        return await deps.events.query(statement);
      } finally {
        running--;
        if (++ended === COUNT - 1) release();
      }
    };
    const context = {
      deps: { ...deps, events: { ...deps.events, query } },
      principal,
      ...access,
      now: deps.clock.now(),
      isTable: false,
      signal: new AbortController().signal,
    };
    const data = await loadDashboard(context, dashboard);
    if (data.kind !== 'dashboard') throw new Error('Not a dashboard.');
    expect(data.tiles.map(({ title, content }) => [title, content.kind])).toEqual(
      Array.from({ length: COUNT }, (_, i) => [`Tile ${i}`, 'answer']),
    );
    expect(most).toBe(3);
  } finally {
    await service.close();
  }
});
