import { getDocument, OPS } from 'pdfjs-dist/legacy/build/pdf.mjs';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventRow } from '../../testing/events.js';
import { startTestService, type TestService } from '../../testing/service.js';

const IMAGES: ReadonlySet<number> = new Set([OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject]);

let service: TestService;
let project: string;
let dashboard: number;
beforeAll(async () => {
  service = await startTestService();
  project = `/api/projects/${service.projectId}`;
  await service.call('PATCH', `${project}/`, { body: { name: 'Northwind Cloud', timezone: 'Europe/Copenhagen' } });
  const rows = Array.from({ length: 20 }, (_, i) => {
    const timestamp = service.clock.now() - i * 3_600_000;
    return eventRow(i, {
      project_id: service.projectId,
      event: '$pageview',
      timestamp,
      properties: { plan: i % 2 ? 'Pro' : 'Free' },
    });
  });
  await service.deps.events.insert('events', rows, { token: 'documents' });
  const filters = { date_from: '-6d', properties: [{ key: 'plan', operator: 'is_not', value: ['internal'], type: 'event' }] };
  const body = { name: 'Growth & more', description: 'What we look at every Monday', filters };
  dashboard = (await service.call('POST', `${project}/dashboards/`, { body })).json().id;
});
afterAll(() => service.close());

const trends = (display: string) => ({
  kind: 'InsightVizNode',
  source: {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: '$pageview' }],
    breakdownFilter: { breakdown: 'plan', breakdown_type: 'event' },
    trendsFilter: { display },
  },
});

async function tile(name: string, display: string, more: object = {}): Promise<number> {
  const body = { name, query: trends(display), dashboards: [dashboard], ...more };
  return (await service.call('POST', `${project}/insights/`, { body })).json().id;
}

async function fileOf(body: object): Promise<Uint8Array> {
  const { id } = (await service.call('POST', `${project}/exports/`, { body })).json();
  await vi.waitFor(
    async () => {
      const shown = (await service.call('GET', `${project}/exports/${id}/`)).json();
      expect([shown.has_content, shown.exception]).toEqual(['true', null]);
    },
    { timeout: 60_000, interval: 30 },
  );
  return (await service.call('GET', `${project}/exports/${id}/content/`)).rawPayload;
}

/** The pages of a document: its texts, its size in points, and whether it has an image. */
async function readPdf(bytes: Uint8Array) {
  const document = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  const { info } = await document.getMetadata();
  const pages = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const [{ items }, { fnArray }, tree] = await Promise.all([
      page.getTextContent(),
      page.getOperatorList(),
      page.getStructTree(),
    ]);
    const { width, height } = page.getViewport({ scale: 1 });
    const text = items.map((item) => ('str' in item ? item.str : '')).join(' ');
    const roles = JSON.stringify(tree);
    pages.push({ width, height, text, roles, hasImage: fnArray.some((operator) => IMAGES.has(operator)) });
  }
  await document.destroy();
  return { info, pages };
}

test('a document has vectors and real text, a title, a language, and the words of public pages', async () => {
  await tile('Visitors', 'ActionsLineGraph', { description: 'All of them' });
  await tile('Plans', 'ActionsPie');
  const bytes = await fileOf({ dashboard, export_format: 'application/pdf' });
  const { info, pages } = await readPdf(bytes);
  expect(info).toMatchObject({ Title: 'Growth & more', Author: 'Northwind Cloud', Language: 'en' });
  const [page] = pages;
  expect(pages).toHaveLength(1);
  expect(page?.hasImage).toBe(false);
  expect([page?.width, page?.height].map((points) => Math.round(points ?? 0))).toEqual([596, 842]);
  expect(page?.roles).toContain('"role":"H1"');
  expect(page?.roles).toMatch(/"role":"H2".*"role":"Figure","children".*"alt":"Visitors, All of them"/);
  for (const words of [
    'Growth & more',
    'What we look at every Monday',
    'plan is not internal',
    'Visitors',
    'All of them',
    '1 of 1',
  ])
    expect(page?.text).toContain(words);
  expect(page?.text).toContain('Northwind Cloud');
  expect(page?.text).toMatch(/\d{1,2} \w{3} to \d{1,2} \w{3} \d{4}/);
  expect(page?.text).toMatch(/Made \d{1,2} \w{3} \d{4}, \d\d:\d\d, Copenhagen time/);
  // the values of the breakdown, without the event
  expect(page?.text).toContain('Free');
  expect(page?.text).not.toContain('$pageview');
});

test('the paper is chosen, and every page has its number, the title and the dates', async () => {
  for (let i = 0; i < 8; i++) await tile(`Tile ${i}`, 'ActionsBar');
  const { pages } = await readPdf(
    await fileOf({
      dashboard,
      export_format: 'application/pdf',
      export_context: { paper: 'Letter', orientation: 'landscape' },
    }),
  );
  expect(pages.length).toBeGreaterThan(1);
  for (const [i, { width, height, text }] of pages.entries()) {
    expect([width, height]).toEqual([792, 612]);
    expect(text).toContain(`${i + 1} of ${pages.length}`);
    expect(text).toContain('Growth & more');
    expect(text).toMatch(/\w{3} to \d{1,2} \w{3} \d{4}/);
  }
  const shown = pages.flatMap(({ text }) => [...text.matchAll(/Tile \d/g)].map(([title]) => title));
  expect(shown.sort()).toEqual(Array.from({ length: 8 }, (_, i) => `Tile ${i}`));
});

test('charts over time have the annotations that their reader may see', async () => {
  const hour = new Date(service.clock.now() - 3_600_000).toISOString();
  const insight = await tile('Annotated', 'ActionsLineGraph');
  const other = await tile('Not annotated', 'ActionsLineGraph');
  for (const body of [
    { content: 'Launched it', scope: 'project' },
    { content: 'Of another chart', scope: 'dashboard_item', dashboard_item: other },
  ]) {
    const made = await service.call('POST', `${project}/annotations/`, { body: { ...body, date_marker: hour } });
    expect(made.statusCode, made.body).toBe(201);
  }
  const { pages } = await readPdf(await fileOf({ insight, export_format: 'application/pdf' }));
  expect(pages[0]?.text).toContain('Launched it');
  expect(pages[0]?.text).not.toContain('Of another chart');
});

test.each(['image/png', 'application/pdf'])('%s says which characters no font has', async (export_format) => {
  // private use characters: no font of any machine has them
  const insight = await tile('Sales \u{10fffd}\u{10fffc}', 'ActionsBar');
  const { id } = (await service.call('POST', `${project}/exports/`, { body: { insight, export_format } })).json();
  await vi.waitFor(
    async () =>
      expect((await service.call('GET', `${project}/exports/${id}/`)).json()).toMatchObject({
        has_content: 'true',
        exception: null,
        warning: 'No font on the server has these characters, which are shown as dots: \u{10fffd} \u{10fffc}',
      }),
    { timeout: 60_000, interval: 30 },
  );
});

test('the picture of an insight is as wide as a slide', async () => {
  const insight = await tile('One', 'ActionsLineGraph');
  const { width, height } = await sharp(await fileOf({ insight, export_format: 'image/png' })).metadata();
  expect([width, height]).toEqual([1920, 1080]);
});
