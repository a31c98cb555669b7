import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { eventRow } from '../../testing/events.js';
import { startTestService, type TestService } from '../../testing/service.js';

const NOTHING = 'Either dashboard, insight or export_context is required for an export.';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const TRENDS = {
  kind: 'InsightVizNode',
  source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'signed up' }], dateRange: { date_from: '-3d' } },
};
const EVENTS = { kind: 'EventsQuery', select: ['event', 'distinct_id'], orderBy: ['distinct_id'] };

let service: TestService;
let project: string;
let insight: number;
let dashboard: number;
/** When the events were sent. */
let sentAt: number;
beforeAll(async () => {
  service = await startTestService();
  project = `/api/projects/${service.projectId}`;
  sentAt = service.clock.now() - 1000;
  const rows = ['ann', '=cmd()', 'zoë, "z"'].map((distinct_id, i) =>
    eventRow(i, { project_id: service.projectId, event: 'signed up', distinct_id, timestamp: sentAt }),
  );
  await service.deps.events.insert('events', rows, { token: 'three' });
  dashboard = (
    await service.call('POST', `${project}/dashboards/`, { body: { name: 'Übersicht & Café', description: 'Every Monday' } })
  ).json().id;
  const body = { name: 'Sign-ups', query: TRENDS, dashboards: [dashboard] };
  insight = (await service.call('POST', `${project}/insights/`, { body })).json().id;
});
afterAll(() => service.close());

const ask = async (body: object, options = {}) => service.call('POST', `${project}/exports/`, { body, ...options });
const get = (id: number, path = '', options = {}) => service.call('GET', `${project}/exports/${id}/${path}`, options);

async function made(body: object) {
  const created = await ask(body);
  expect(created.statusCode, created.body).toBe(201);
  const { id } = created.json();
  return vi.waitFor(
    async () => {
      const shown = (await get(id)).json();
      expect(shown.has_content !== '' || shown.exception !== null).toBe(true);
      return shown;
    },
    { timeout: 60_000, interval: 30 },
  );
}
async function content(body: object) {
  const shown = await made(body);
  expect(shown.exception).toBeNull();
  const answer = await get(shown.id, 'content/');
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.headers['content-type']).toBe(shown.export_format);
  return answer.rawPayload;
}

test('a table of SQL has its columns, for any display', async () => {
  const source = {
    kind: 'DataVisualizationNode',
    source: { kind: 'HogQLQuery', query: 'select event, count() as n from events group by event' },
    display: 'BoldNumber',
  };
  const csv = await content({ export_format: 'text/csv', export_context: { source } });
  expect(csv.toString()).toBe('event,n\r\nsigned up,3\r\n');
  const picture = await content({ export_format: 'image/png', export_context: { source } });
  expect(picture.subarray(1, 4).toString()).toBe('PNG');
});

describe('POST exports/', () => {
  test('2.6 answers 201 at once with the export in its state', async () => {
    const answer = await ask({ insight, export_format: 'image/png' });
    expect(answer.statusCode).toBe(201);
    const day = 86_400_000;
    const expiry = new Date(Math.floor((service.clock.now() + 180 * day) / day) * day).toISOString().replace('.000', '');
    expect(answer.json()).toEqual({
      id: expect.any(Number),
      dashboard: null,
      insight,
      export_format: 'image/png',
      created_at: expect.stringMatching(/Z$/),
      has_content: '',
      export_context: null,
      filename: expect.stringMatching(/^export-sign-ups-\d{4}-\d\d-\d\d-\d{6}\.png$/),
      expires_after: expiry,
      exception: null,
      warning: null,
    });
  });

  test('10.4 and 10.5 names the file and stores it until the requested time', async () => {
    const named = await ask({ export_format: 'text/csv', export_context: { source: EVENTS, filename: 'My events: Mäy' } });
    expect(named.json().filename).toBe('my-events-may.csv');
    const days = (Date.parse(named.json().expires_after) - service.clock.now()) / 86_400_000;
    expect(days > 6 && days <= 7).toBe(true);
    const board = await ask({ dashboard, export_format: 'application/pdf', expires_after: '2099-01-02T03:04:05Z' });
    expect(board.json()).toMatchObject({
      expires_after: '2099-01-02T03:04:05Z',
      filename: expect.stringMatching(/^export-ubersicht-cafe-/),
    });
    for (const past of ['2020-01-01T00:00:00Z', '0001-01-01T00:00:00Z']) {
      const over = await ask({ dashboard, export_format: 'text/csv', expires_after: past });
      expect([over.statusCode, over.json().expires_after]).toEqual([201, past]);
      expect((await get(over.json().id)).statusCode).toBe(404);
    }
  });

  test.each<[object, string, string | null, string]>([
    [{ export_format: 'image/png' }, 'invalid_input', null, NOTHING],
    [{ export_format: 'text/csv', dashboard: '', insight: null, export_context: {} }, 'invalid_input', null, NOTHING],
    [{ insight: 1 }, 'required', 'export_format', 'This field is required.'],
    [{ insight: 1, export_format: 'not/allowed' }, 'invalid_choice', 'export_format', '"not/allowed" is not a valid choice.'],
    [{ insight: 1, export_format: 'video/mp4' }, 'invalid_input', 'export_format', 'Export format video/mp4 is not supported.'],
    [
      { dashboard: 54321, export_format: 'image/png' },
      'does_not_exist',
      'dashboard',
      'Invalid pk "54321" - object does not exist.',
    ],
    [{ insight: 54321, export_format: 'image/png' }, 'does_not_exist', 'insight', 'Invalid pk "54321" - object does not exist.'],
    [
      { dashboard: 99_999_999_999, export_format: 'image/png' },
      'does_not_exist',
      'dashboard',
      'Invalid pk "99999999999" - object does not exist.',
    ],
    [
      { insight: 'x', export_format: 'image/png' },
      'incorrect_type',
      'insight',
      'Incorrect type. Expected pk value, received str.',
    ],
    [
      { insight: 1, export_format: 'image/png', expires_after: '2030-02-30' },
      'invalid_input',
      'expires_after',
      'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
    ],
    [{ export_context: 3, export_format: 'image/png' }, 'invalid_input', 'export_context', 'Not a valid object.'],
  ])('10.1 and 10.2 refuses %j', async (body, code, attr, detail) => {
    const answer = await ask(body);
    expect([answer.statusCode, answer.json()]).toEqual([400, { type: 'validation_error', code, attr, detail }]);
  });

  test('10.12 exports cannot be changed or deleted', async () => {
    for (const method of ['PATCH', 'PUT', 'DELETE'] as const) {
      expect((await service.call(method, `${project}/exports/1/`)).statusCode).toBe(405);
    }
  });

  test('10.14 exporting an insight is recorded in its activity', async () => {
    await ask({ insight, export_format: 'text/csv' });
    const log = (await service.call('GET', `${project}/insights/${insight}/activity/`)).json();
    expect(log.results[0]).toMatchObject({
      activity: 'exported',
      scope: 'Insight',
      item_id: String(insight),
      detail: { name: 'Sign-ups' },
    });
  });
});

describe('contents', () => {
  test('CSV of an insight', async () => {
    const csv = (await content({ insight, export_format: 'text/csv' })).toString();
    const [head, row] = csv.split('\r\n');
    expect(head).toMatch(/^series,\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d,total$/);
    expect(row).toBe('signed up,0,0,0,3,3');
  });

  test('CSV of a query guards against formulas and picks columns', async () => {
    const export_context = { source: { kind: 'DataTableNode', source: EVENTS } };
    const csv = (await content({ export_format: 'text/csv', export_context })).toString();
    expect(csv).toBe('event,distinct_id\r\nsigned up,\'=cmd()\r\nsigned up,ann\r\nsigned up,"zoë, ""z"""\r\n');
    const picked = await content({
      export_format: 'text/csv',
      export_context: { ...export_context, columns: ['distinct_id', 'none'] },
    });
    expect(picked.toString().split('\r\n').slice(0, 3)).toEqual(['distinct_id,none', "'=cmd(),", 'ann,']);
  });

  test('a query without rows has a note', async () => {
    const source = { ...EVENTS, event: 'nobody did this' };
    const csv = await content({ export_format: 'text/csv', export_context: { source } });
    expect(csv.toString()).toBe('error\r\nNo data available or unable to format for export.\r\n');
  });

  test('XLSX of a dashboard has its picture, and a sheet for each tile', async () => {
    const files = unzipSync(await content({ dashboard, export_format: XLSX }));
    expect(Object.keys(files)).toContain('xl/worksheets/sheet1.xml');
    const text = (name: string) => Buffer.from(files[name] ?? []).toString();
    expect(text('xl/workbook.xml')).toContain('<sheet name="Übersicht &amp; Café" sheetId="1"');
    expect(text('xl/workbook.xml')).toContain('<sheet name="Sign-ups" sheetId="2"');
    expect(text('xl/worksheets/sheet1.xml')).toContain('<drawing r:id="rId1"/>');
    expect(
      Buffer.from(files['xl/media/image1.png'] ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(text('xl/worksheets/sheet2.xml')).toContain('signed up</t></is></c><c s="6"><v>0</v></c>');
    expect(text('xl/worksheets/sheet2.xml')).not.toContain('<drawing');
  });

  test('XLSX of an insight has its picture below the numbers', async () => {
    const files = unzipSync(await content({ insight, export_format: XLSX }));
    const text = (name: string) => Buffer.from(files[name] ?? []).toString();
    expect(text('xl/worksheets/sheet1.xml')).toMatch(/signed up<.*<drawing r:id="rId1"\/>/s);
    expect(text('xl/drawings/drawing1.xml')).toMatch(/<xdr:row>3<.*<xdr:ext cx="9144000" cy="5143500"\/>.*descr="Sign-ups"/s);
    expect(text('[Content_Types].xml')).toContain('Extension="png"');
  });

  test('XLSX has dates and times as such, as the clocks of the project show them', async () => {
    const zone = await service.call('PATCH', `${project}/`, { body: { timezone: 'Asia/Kathmandu' } });
    expect(zone.statusCode, zone.body).toBe(200);
    const workbook = (source: object) => content({ export_format: XLSX, export_context: { source } });
    const times = unzipSync(await workbook({ kind: 'EventsQuery', select: ['event', 'timestamp'], orderBy: ['timestamp'] }));
    const days = unzipSync(await workbook(TRENDS.source));
    await service.call('PATCH', `${project}/`, { body: { timezone: 'UTC' } });
    const sheet = (files: Record<string, Uint8Array>) => Buffer.from(files['xl/worksheets/sheet1.xml'] ?? []).toString();
    const [, serial] = /<c s="3"><v>([\d.]+)<\/v><\/c>/.exec(sheet(times)) ?? [];
    const local = (sentAt - Date.UTC(1899, 11, 30)) / 86_400_000 + 5.75 / 24;
    expect(Number(serial)).toBeCloseTo(local, 7);
    expect(sheet(days)).toMatch(/<c t="inlineStr" s="1"><is><t>series<.*?<c s="4"><v>\d{5}<\/v><\/c>/);
    expect(Buffer.from(days['docProps/core.xml'] ?? []).toString()).toContain('Times are those of Asia/Kathmandu.');
  });

  test('JSON of an insight, a dashboard and a query', async () => {
    const one = JSON.parse((await content({ insight, export_format: 'application/json' })).toString());
    expect(one).toMatchObject({ name: 'Sign-ups', query: TRENDS, results: [{ count: 3 }] });
    const all = JSON.parse((await content({ dashboard, export_format: 'application/json' })).toString());
    expect(all).toMatchObject({ name: 'Übersicht & Café', tiles: [{ name: 'Sign-ups', results: [{ count: 3 }] }] });
    const query = JSON.parse(
      (await content({ export_context: { source: EVENTS }, export_format: 'application/json' })).toString(),
    );
    expect(query).toMatchObject({ columns: ['event', 'distinct_id'], hasMore: false });
  });

  test.each([
    ['image/png', '\x89PNG'],
    ['application/pdf', '%PDF-1.7'],
  ])('%s of an insight, a dashboard and a query', async (export_format, magic) => {
    for (const of of [{ insight }, { dashboard }, { export_context: { source: TRENDS, theme: 'dark' } }]) {
      const bytes = await content({ ...of, export_format });
      expect(bytes.subarray(0, magic.length).toString('latin1')).toBe(magic);
      expect(bytes.length).toBeGreaterThan(5_000);
    }
  });

  test('a path of the API is read as the user of the export, through all pages', async () => {
    for (const name of ['one', 'two']) await service.call('POST', `${project}/dashboards/`, { body: { name } });
    const export_context = { path: `/api/environments/${service.projectId}/dashboards/?limit=1`, columns: ['name'] };
    const csv = await content({ export_format: 'text/csv', export_context });
    expect(csv.toString().split('\r\n').filter(Boolean).sort()).toEqual(['name', 'one', 'two', 'Übersicht & Café']);
    const query = { path: `${project}/query/`, method: 'post', body: { query: EVENTS } };
    const json = JSON.parse((await content({ export_format: 'application/json', export_context: query })).toString());
    expect(json.results).toHaveLength(3);
  });

  test.each([
    ['', 150],
    [' limit 5', 5],
  ])('an SQL query is exported completely, up to its own limit: "%s"', async (limit, lines) => {
    const source = {
      kind: 'HogQLQuery',
      query: `select number, distinct_id from events cross join numbers(50) order by 1, 2${limit}`,
    };
    const csv = (await content({ export_format: 'text/csv', export_context: { source } })).toString();
    expect(csv.split('\r\n').length - 2).toBe(lines);
  });

  test('10.9 a limit cuts every table, of a query and of a path', async () => {
    const rows = async (export_context: object) =>
      (await content({ export_format: 'text/csv', export_context })).toString().split('\r\n').filter(Boolean).length - 1;
    expect(await rows({ source: EVENTS, limit: 2 })).toBe(2);
    expect(await rows({ source: EVENTS, limit: '2' })).toBe(2);
    expect(await rows({ source: EVENTS, limit: 'all' })).toBe(3);
    expect(await rows({ path: `${project}/insights/?limit=1`, limit: 1 })).toBe(1);
  });

  test('a table has all parts of a breakdown, unless the query says how many', async () => {
    const plans = Array.from({ length: 40 }, (_, i) => {
      const row = { project_id: service.projectId, event: 'bought', timestamp: sentAt, properties: { plan: `plan ${i}` } };
      return eventRow(100 + i, row);
    });
    await service.deps.events.insert('events', plans, { token: 'plans' });
    const rows = async (more: object) => {
      const breakdownFilter = { breakdown: 'plan', breakdown_type: 'event', ...more };
      const source = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'bought' }], breakdownFilter };
      const csv = (await content({ export_format: 'text/csv', export_context: { source } })).toString();
      return csv.split('\r\n').filter((line) => line.startsWith('bought')).length;
    };
    expect([await rows({}), await rows({ breakdown_limit: 3 })]).toEqual([40, 4]);
  });

  test('the breakdown of a dashboard overrides those of its queries', async () => {
    const filters = { breakdown_filter: { breakdown: 'plan', breakdown_type: 'event' } };
    const body = { name: 'Broken down', filters };
    const board = (await service.call('POST', `${project}/dashboards/`, { body })).json().id;
    const tile = { name: 'Broken', query: TRENDS, dashboards: [board] };
    const id = (await service.call('POST', `${project}/insights/`, { body: tile })).json().id;
    for (const fields of [{ dashboard: board }, { dashboard: board, insight: id }]) {
      const csv = (await content({ ...fields, export_format: 'text/csv' })).toString();
      expect(csv).toMatch(/^series,breakdown,/);
      expect(csv).toContain('signed up,(none),');
    }
  });

  test('10.8 a file is downloaded under its name, and runs no script', async () => {
    const { id, filename } = await made({ insight, export_format: 'text/csv' });
    const shown = await get(id, 'content/');
    expect(shown.headers).toMatchObject({
      'content-type': 'text/csv',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-cache',
      etag: `"export-${id}"`,
    });
    const known = await service.call('GET', `${project}/exports/${id}/content/`, {
      headers: { 'if-none-match': `"export-${id}"` },
    });
    expect([known.statusCode, known.body]).toEqual([304, '']);
    expect(shown.headers['content-disposition']).toBeUndefined();
    const { headers } = await get(id, 'content/?download=true');
    expect(headers['content-disposition']).toBe(`attachment; filename="${filename}"; filename*=UTF-8''${filename}`);
  });
});

test('a truncated file in storage is an error, not a shorter export', async () => {
  const { id } = await made({ insight, export_format: 'text/csv' });
  await service.deps.blobs.put(`exports/${service.projectId}/${id}/content`, Buffer.from('series'));
  const answer = await service.call('GET', `${project}/exports/${id}/content/`);
  expect([answer.statusCode, answer.json()]).toEqual([
    400,
    expect.objectContaining({ code: 'export_failed', detail: 'The stored file of this export is damaged. Export again.' }),
  ]);
  expect(answer.headers['etag']).toBeUndefined();
});

describe('failed exports', () => {
  test.each<[object, string]>([
    [{ export_context: { filename: 'x' }, export_format: 'text/csv' }, 'The export_context has neither a source nor a path.'],
    [{ export_context: { source: { kind: 'TeaQuery' } }, export_format: 'text/csv' }, 'TeaQuery'],
    [
      { export_context: { path: '/api/users/@me/' }, export_format: 'text/csv' },
      'The path must be one of this project in the API.',
    ],
    [{ export_context: { path: 'http://[' }, export_format: 'text/csv' }, 'The path must be one of this project in the API.'],
    [{ export_context: { path: '/api/projects/@current/exports/' }, export_format: 'text/csv' }, 'must be one of this project'],
    [{ export_context: { path: '/api/projects/@current/%65xports/' }, export_format: 'text/csv' }, 'must be one of this project'],
    [
      { export_context: { path: '/api/projects/@current/dashboards/', method: 'POST' }, export_format: 'text/csv' },
      'Only what reads',
    ],
    [{ export_context: { path: '/api/projects/@current/dashboards/999999/' }, export_format: 'text/csv' }, 'Not found.'],
    [
      { export_context: { path: '/api/projects/@current/dashboards/' }, export_format: 'image/png' },
      'cannot be exported as a picture',
    ],
  ])('%j has the reason', async (body, reason) => {
    const shown = await made(body);
    expect(shown).toMatchObject({ has_content: '', exception: expect.stringContaining(reason) });
    const answer = await get(shown.id, 'content/');
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { type: 'invalid_request', code: 'export_failed', attr: null, detail: shown.exception },
    ]);
  });

  test('an export in progress is not ready', async () => {
    const { id } = (await ask({ insight, export_format: 'image/png' })).json();
    await service.deps.db.updateTable('exports').set({ content_size: null }).where('id', '=', id).execute();
    const answer = await get(id, 'content/');
    expect([answer.statusCode, answer.json().code, answer.headers['retry-after']]).toEqual([425, 'export_not_ready', '1']);
  });
});

describe('10.6 the list', () => {
  test('has the newest first, and filters', async () => {
    const first = (await ask({ insight, export_format: 'text/csv' })).json().id;
    const second = (await ask({ export_format: 'text/csv', export_context: { path: `${project}/insights/?only=this` } })).json()
      .id;
    const ids = async (query: string) =>
      (await service.call('GET', `${project}/exports/?${query}`)).json().results.map((one: { id: number }) => one.id);
    expect((await ids('')).slice(0, 2)).toEqual([second, first]);
    expect(await ids('context_path=only=this')).toEqual([second]);
    expect(await ids(`export_format=${XLSX}&limit=1`)).toHaveLength(1);
    expect(await ids('export_format=video/mp4')).toEqual([]);
    expect(await ids('export_format=&context_path=')).toEqual(await ids(''));
    expect(await ids('export_format=b&export_format=video/mp4')).toEqual([]);
    for (const odd of ['export_format=%00', 'context_path=%00']) {
      const refused = await service.call('GET', `${project}/exports/?${odd}`);
      expect([odd, refused.statusCode, refused.json().attr]).toEqual([odd, 400, odd.split('=')[0]]);
    }
  });
});
