import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createScheduler } from '../adapters/system/index.js';
import { allowAllOrigins } from '../http/not-found.js';
import { registerOperation } from '../http/openapi/index.js';
import { installRestApi } from '../http/rest-api.js';
import { ApiError } from '../kernel/errors.js';
import { checkAnswers } from './check-answers.js';

const thing = z.object({ id: z.int().describe('Number.'), made: z.iso.datetime().nullable().describe('When.') });

/** What the check says of one answer of a route that is described as answering with a thing, or refusing with 404. */
async function said(status: number, body: unknown, type = 'application/json'): Promise<string | null> {
  const app = fastify();
  installRestApi(app, createScheduler());
  registerOperation(app, thing, {
    method: 'GET',
    urls: ['/api/projects/:project_id/things/:id/', '/api/environments/:project_id/things/:id/'],
    access: null,
    summary: 'Retrieve a thing',
    responses: { 200: { description: 'A thing', schema: thing }, 204: { description: 'Nothing', schema: null } },
    errorStatuses: [404],
  });
  app.get('/api/projects/:project_id/things/:id/', async (_request, reply) => {
    allowAllOrigins(reply);
    if (body instanceof Error) throw body;
    return reply
      .code(status)
      .type(type)
      .send(body === undefined ? undefined : JSON.stringify(body));
  });
  const check = checkAnswers(app);
  await app.inject('/api/projects/1/things/2/');
  try {
    check.finish();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : null;
  } finally {
    await app.close();
  }
}

describe('the check of responses', () => {
  test.each([
    [200, { id: 1, made: null }],
    [200, { id: 1, made: '2021-05-02T00:00:00Z' }],
    [204, undefined],
    [404, new ApiError('not_found')],
    [503, new ApiError('unavailable')],
  ])('%d %j is accepted', async (status, body) => {
    expect(await said(status, body)).toBeNull();
  });

  test.each([
    [200, { id: 1, made: null, more: 1 }, 'the body must NOT have additional properties (more)'],
    [200, { id: 1 }, "the body must have required property 'made'"],
    [200, { id: '1', made: null }, '/id must be integer'],
    [200, { id: 1, made: '2021-05-02' }, '/made must match format "date-time"'],
    [201, { id: 1, made: null }, '201: this status is not described'],
    [204, {}, 'there should be no body'],
    [404, { detail: 'no' }, "the body must have required property 'type'"],
    [403, new ApiError('permission_denied'), '403: this status is not described'],
  ])('%d %j is reported', async (status, body, difference) => {
    const reported = await said(status, body);
    expect(reported).toContain(difference);
    expect(reported).toContain('in: the check of responses > ');
  });

  test('another content type is reported', async () => {
    expect(await said(200, 'x', 'text/plain')).toContain('text/plain is not described');
  });
});
