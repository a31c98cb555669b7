import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('warnings are listed newest first, with their details', async () => {
  const warning = (type: string, day: number) => ({
    project_id: service.projectId,
    type,
    details: JSON.stringify({ distinctId: 'anna' }),
    created_at: new Date(Date.UTC(2024, 0, day)),
  });
  const rows = [warning('message_size_too_large', 1), warning('cannot_merge_already_identified', 2)];
  await service.deps.db.insertInto('ingestion_warnings').values(rows).execute();
  const answer = await service.call('GET', `/api/environments/${service.projectId}/ingestion_warnings/`);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({
    count: 2,
    results: [
      { type: 'cannot_merge_already_identified', details: { distinctId: 'anna' }, timestamp: '2024-01-02T00:00:00Z' },
      { type: 'message_size_too_large', timestamp: '2024-01-01T00:00:00Z' },
    ],
  });
});
