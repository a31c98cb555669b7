import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AlertProject, alertProject, bounds, goTo, until } from '../../testing/alerts.js';
import { startTestService, type TestService } from '../../testing/service.js';

/** What the webhook got. */
interface Call {
  method: string | undefined;
  path: string | undefined;
  type: string | undefined;
  body: { text: string; id: string; state: string; value: number; alert: object; insight: object; url: string };
}

let service: TestService;
let project: AlertProject;
let insight: { id: number; short_id: string };
let hooks: Server;
let origin: string;
/** The webhook of the test that runs. */
let base: string;
let round = 0;
/** Calls of the test that runs: webhooks of the others may still be called. */
let calls: Call[] = [];
/** How the webhook answers; by default 200. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  hooks = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      const text = Buffer.concat(chunks).toString();
      const isOwn = path?.startsWith(`/${round}/`) ?? false;
      if (isOwn) calls.push({ method, path, type: headers['content-type'], body: JSON.parse(text) });
      if (isOwn) answer(request, response);
      else response.end();
    });
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}`;
  service = await startTestService({ privateWebhooks: true });
});
beforeEach(async () => {
  calls = [];
  base = `${origin}/${++round}/hook`;
  answer = (_, response) => response.end('ok');
  project = await alertProject(service);
  insight = await project.insight({
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'signed up', name: '<signed up>' }],
  });
});
afterAll(async () => {
  await service?.close();
  hooks?.closeAllConnections();
  await new Promise((resolve) => hooks?.close(resolve));
});

const ends = (id: string, webhook: string, at = 0) =>
  until(async () => {
    const alert = await project.read(id);
    expect(alert.checks[at]?.webhook).toBe(webhook);
    return alert.checks[at];
  });
/** Moves the time on, unless a job runs: its lease would expire. A job that begins just now has a lease of twice this time. */
async function pass(): Promise<void> {
  const { db, services } = service.deps;
  const running = await db
    .selectFrom('jobs')
    .select('id')
    .where('leased_by', 'is not', null)
    .where('kind', 'like', 'alert-%')
    .execute();
  if (running.length > 0) return;
  service.clock.advance(15_000);
  await services.runner.wake();
}
/** Moves the time on over the pauses between attempts until the news are delivered or given up. */
const retried = (id: string, webhook: string) =>
  until(async () => {
    await pass();
    const alert = await project.read(id);
    expect(alert.checks[0]?.webhook).toBe(webhook);
    return alert.checks[0];
  });

test('a webhook gets the news when an alert begins to fire and when it stops, and nothing in between', async () => {
  const alert = await project.alert(insight.id, {
    name: 'Sign-ups <!channel> & more',
    webhook_url: `${base}?key=1`,
    ...bounds(2, null),
  });
  const check = await ends(alert.id, 'delivered');
  expect(check?.webhook_error).toBeNull();
  const url = `http://localhost:80/p/${project.id}/insights/${insight.short_id}?alert=${alert.id}`.replace(':80', '');
  expect(calls).toEqual([
    {
      method: 'POST',
      path: `/${round}/hook?key=1`,
      type: 'application/json; charset=utf-8',
      body: {
        text: expect.stringMatching(
          /^\*Sign-ups &lt;!channel&gt; &amp; more\* fires: "&lt;signed up&gt;" was 0 on \d{4}-\d\d-\d\d, below/,
        ),
        id: check?.id,
        state: 'Firing',
        at: alert.last_notified_at?.replace('000Z', 'Z'),
        message: check?.message,
        value: 0,
        alert: { id: alert.id, name: 'Sign-ups <!channel> & more' },
        insight: { id: insight.id, short_id: insight.short_id, name: 'Insight' },
        project_id: project.id,
        url,
      },
    },
  ]);
  expect(calls[0]?.body.text).toContain(`<${url}|Insight>`);
  expect((await project.checkNext(alert.id)).checks[0]).toMatchObject({ state: 'Firing', webhook: null });
  await project.capture('signed up', 3, new Date(service.clock.now()).toISOString());
  const back = await project.checkNext(alert.id);
  expect(back.state).toBe('Not firing');
  await ends(alert.id, 'delivered');
  expect(calls).toHaveLength(2);
  expect(calls[1]?.body).toMatchObject({ state: 'Not firing', value: 3 });
  expect(calls[1]?.body.text).toContain('is back within its bounds');
});

test('a webhook that fails is called again, with the same id, until it takes the news', async () => {
  answer = (_, response) => {
    response.statusCode = calls.length < 3 ? 500 : 204;
    response.end();
  };
  const alert = await project.alert(insight.id, { webhook_url: base });
  await until(async () => {
    expect((await project.read(alert.id)).checks[0]?.webhook_error).toBe('The webhook answered with status 500.');
  });
  expect(await retried(alert.id, 'delivered')).toMatchObject({ webhook_error: null });
  expect(calls).toHaveLength(3);
  expect(new Set(calls.map(({ body }) => body.id)).size).toBe(1);
});

test('a webhook that always fails is given up, and the alert is checked again', async () => {
  answer = (_, response) => {
    response.statusCode = 404;
    response.end('no such hook');
  };
  const alert = await project.alert(insight.id, { webhook_url: base });
  const check = await retried(alert.id, 'failed');
  expect(check).toMatchObject({ state: 'Firing', webhook_error: 'The webhook answered with status 404.' });
  expect(calls).toHaveLength(6);
  const next = await project.checkNext(alert.id);
  expect(next).toMatchObject({ state: 'Firing', checks: [{ webhook: null }, { webhook: 'failed' }] });
});

test('a test calls the webhook once at once, says whether it took it, and changes nothing of the alert', async () => {
  const alert = await project.alert(insight.id, { name: 'Sign-ups & more', webhook_url: base });
  await ends(alert.id, 'delivered');
  calls = [];
  const before = await project.read(alert.id);
  const tested = await project.call('POST', `alerts/${alert.id}/test/`);
  expect([tested.statusCode, tested.json()]).toEqual([200, { webhook: 'delivered', webhook_error: null }]);
  expect(calls).toMatchObject([
    {
      method: 'POST',
      body: {
        text: expect.stringMatching(/^\*Sign-ups &amp; more\* is tested: This is a test\. .+\|Insight>$/),
        state: 'Test',
        value: null,
        alert: { id: alert.id },
      },
    },
  ]);
  expect(await project.read(alert.id)).toEqual(before);

  answer = (_, response) => {
    response.statusCode = 500;
    response.end();
  };
  expect((await project.call('POST', `alerts/${alert.id}/test/`)).json()).toEqual({
    webhook: 'failed',
    webhook_error: 'The webhook answered with status 500.',
  });
  expect(calls).toHaveLength(2);
  expect(await project.read(alert.id)).toEqual(before);
});

test('an alert without a webhook, and one that is deleted, cannot be tested', async () => {
  const alert = await project.alert(insight.id);
  const tested = await project.call('POST', `alerts/${alert.id}/test/`);
  expect([tested.statusCode, tested.json().detail]).toEqual([400, 'This alert has no webhook.']);
  await project.call('DELETE', `alerts/${alert.id}/`);
  const gone = await project.call('POST', `alerts/${alert.id}/test/`, { deleted: false });
  expect(gone.statusCode).toBe(404);
});

test('redirects are not followed', async () => {
  answer = (request, response) => {
    if (request.url?.endsWith('/elsewhere')) return response.end('ok');
    response.writeHead(307, { location: `${origin}/${round}/elsewhere` }).end();
  };
  const alert = await project.alert(insight.id, { webhook_url: base });
  await until(async () => {
    const [check] = (await project.read(alert.id)).checks;
    expect(check?.webhook_error).toBe('The webhook answered with a redirect (status 307), which is not followed.');
  });
  expect(calls.filter(({ path }) => path?.endsWith('/elsewhere'))).toEqual([]);
});

test('a webhook that answers without end is left after a part of the response', async () => {
  let isLeft = false;
  answer = (_, response) => {
    response.on('close', () => {
      isLeft = true;
    });
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(4096)));
    };
    response.on('drain', write);
    write();
  };
  const alert = await project.alert(insight.id, { webhook_url: base });
  await ends(alert.id, 'delivered');
  await until(() => expect(isLeft).toBe(true));
});

test('a webhook that does not answer has ten seconds', async () => {
  const waiting: ServerResponse[] = [];
  answer = (_, response) => {
    waiting.push(response);
  };
  const begun = service.deps.scheduler.uptime();
  const alert = await project.alert(insight.id, { webhook_url: base });
  await until(async () => {
    const [check] = (await project.read(alert.id)).checks;
    expect(check?.webhook_error).toBe('The webhook did not answer within 10 seconds.');
  });
  expect(service.deps.scheduler.uptime() - begun).toBeGreaterThanOrEqual(10_000);
  for (const response of waiting) response.end();
});

test('a port that nobody listens on is named by its error, and the address is not repeated', async () => {
  const nobody = createServer();
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
  const { port } = nobody.address() as AddressInfo;
  await new Promise((resolve) => nobody.close(resolve));
  const alert = await project.alert(insight.id, { webhook_url: `http://127.0.0.1:${port}/secret-part` });
  await until(async () => {
    const [check] = (await project.read(alert.id)).checks;
    expect(check?.webhook_error).toBe('The webhook could not be reached: ECONNREFUSED.');
  });
});

test('an alert that lost its webhook before it was called calls nobody', async () => {
  answer = (_, response) => {
    response.statusCode = 500;
    response.end();
  };
  const alert = await project.alert(insight.id, { webhook_url: base });
  await until(() => expect(calls).toHaveLength(1));
  await project.call('PATCH', `alerts/${alert.id}/`, { webhook_url: null });
  const jobs = service.deps.db.selectFrom('jobs').select('id').where('project_id', '=', project.id);
  await until(async () => {
    await pass();
    expect(await jobs.execute()).toEqual([]);
  });
  expect(calls).toHaveLength(1);
});

test('slow webhooks do not hold back checks and exports', async () => {
  const waiting: ServerResponse[] = [];
  answer = (_, response) => {
    waiting.push(response);
  };
  for (let i = 0; i < 5; i++) await project.alert(insight.id, { webhook_url: base });
  await until(() => expect(waiting).toHaveLength(4));
  const made = await project.call('POST', 'exports/', { export_format: 'text/csv', insight: insight.id });
  expect(made.statusCode, made.body).toBe(201);
  await until(async () => {
    const { has_content } = (await project.call('GET', `exports/${made.json().id}/`)).json();
    expect(has_content).toBe('true');
  });
  // the webhooks have still not answered
  expect(waiting.every(({ writableEnded, destroyed }) => !writableEnded && !destroyed)).toBe(true);
  for (const response of waiting) response.end();
  answer = (_, response) => response.end();
});

test('without the setting, a name that leads to a private address is refused when it is called', async () => {
  const strict = await startTestService();
  try {
    // before one o'clock the next daily check would be about yesterday
    goTo(strict, '2031-12-01T12:00:00Z');
    const own = await alertProject(strict);
    const { id } = await own.insight({ kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'x' }] });
    // the address of the name is not known before it is called
    const { port } = hooks.address() as AddressInfo;
    const alert = await own.alert(id, { webhook_url: `http://localhost:${port}/${round}/hook` });
    await until(async () => {
      const [check] = (await own.read(alert.id)).checks;
      expect(check?.webhook_error).toBe(
        'The address of localhost is in a private network. The setting TIDEMARK_PRIVATE_WEBHOOKS of the service allows such addresses.',
      );
    });
    const refused = await own.call('PATCH', `alerts/${alert.id}/`, { webhook_url: base });
    expect(refused.json()).toMatchObject({ code: 'invalid_input', attr: 'webhook_url' });
    // an address that was allowed before the setting changed is refused as well
    await strict.deps.db.updateTable('alerts').set({ webhook_url: base }).where('id', '=', alert.id).execute();
    await own.capture('x', 1, new Date(strict.clock.now()).toISOString());
    const back = await own.checkNext(alert.id);
    expect(back.state).toBe('Not firing');
    await until(async () => {
      const [check] = (await own.read(alert.id)).checks;
      expect(check?.webhook_error).toContain('The address 127.0.0.1 is in a private network.');
    });
    expect(calls).toEqual([]);
  } finally {
    await strict.close();
  }
});
