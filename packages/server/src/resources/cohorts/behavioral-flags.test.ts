import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, bought, inCohort, leaf, PRO, startCohorts } from '../../testing/cohorts.js';
import type { TestService } from '../../testing/service.js';

/*
 * Flags are answered without a look at events: they know nothing of what people did.
 */
let cohorts: Awaited<ReturnType<typeof startCohorts>>;
let service: TestService;
let flags: string;
beforeAll(async () => {
  cohorts = await startCohorts();
  ({ service } = cohorts);
  flags = `/api/projects/${service.projectId}/feature_flags`;
});
afterAll(() => service.close());

const create = (body: object) => cohorts.create(body);
const patch = (id: number, body: object) => cohorts.patch(id, body);
const filtersWith = (...properties: unknown[]) => ({ groups: [{ properties }] });
const makeFlag = (key: string, ...properties: unknown[]) =>
  service.call('POST', `${flags}/`, { body: { key, filters: filtersWith(...properties) } });
const patchFlag = (id: number, body: object) => service.call('PATCH', `${flags}/${id}/`, { body });
const inTurn = (id: unknown) => inCohort(id, { operator: 'in' });

test('flags refuse behavioral cohorts, and cohorts that are made of them', async () => {
  const doers = await create({ filters: all(bought()) });
  const outer = await create({ filters: all({ type: 'OR', values: [leaf('plan', 'pro'), inCohort(String(doers.id))] }) });
  for (const { id } of [doers, outer]) {
    const refused = await makeFlag('refused', leaf('plan', 'pro'), inTurn(id));
    expect([refused.statusCode, refused.json()]).toEqual([
      400,
      expect.objectContaining({
        code: 'invalid_input',
        attr: 'filters',
        detail:
          'groups[0].properties[1].value: This cohort asks what people did. Flags know only properties of people, and lists.',
      }),
    ]);
  }
  const flag = (await makeFlag('kept', leaf('plan', 'pro'))).json();
  expect((await patchFlag(flag.id, { filters: filtersWith(inTurn(outer.id)) })).statusCode).toBe(400);
  const isBehavioral = /asks what people did/;
  const later = { record_id: flag.id, model_name: 'FeatureFlag', scheduled_at: new Date(service.clock.now() + 60_000) };
  const payload = { operation: 'add_release_condition', value: filtersWith(inTurn(doers.id)) };
  const scheduled = await service.call('POST', `/api/projects/${service.projectId}/scheduled_changes/`, {
    body: { ...later, payload },
  });
  expect(scheduled.json()).toMatchObject({ detail: expect.stringMatching(isBehavioral) });
});

test('a cohort that flags use cannot become behavioral, even through other cohorts', async () => {
  const inner = await create({ name: 'Inner', filters: PRO });
  const middle = await create({ filters: all(inCohort(inner.id)) });
  const outer = await create({ filters: all(inCohort(middle.id)) });
  const flag = (await makeFlag('user', inTurn(outer.id))).json();
  const refused = await patch(inner.id, { filters: all(bought()) });
  expect([refused.statusCode, refused.json()]).toEqual([
    400,
    expect.objectContaining({
      code: 'invalid_input',
      attr: 'filters',
      detail: 'Flags cannot ask what people did, and this cohort is used by feature flag "user".',
    }),
  ]);
  expect((await patch(inner.id, { filters: all(leaf('plan', 'free')) })).statusCode).toBe(200);
  const doers = await create({ filters: all(bought()) });
  expect((await patch(middle.id, { filters: all(inCohort(doers.id)) })).statusCode).toBe(400);
  await patchFlag(flag.id, { deleted: true });
  expect((await patch(inner.id, { filters: all(bought()) })).statusCode).toBe(200);
  expect((await patchFlag(flag.id, { deleted: false })).json().detail).toMatch(/asks what people did/);
});

test('of concurrent changes of a flag and a cohort that exclude each other, one is refused', async () => {
  for (let i = 0; i < 6; i++) {
    const { id } = await create({ filters: PRO });
    const make = () => makeFlag(`race-${i}`, inTurn(id));
    const change = () => patch(id, { filters: all(bought()) });
    const answers = await Promise.all(i % 2 === 0 ? [make(), change()] : [change(), make()]);
    expect(answers.filter(({ statusCode }) => statusCode === 400)).toHaveLength(1);
  }
});
