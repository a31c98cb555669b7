import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../http/validate.js';
import { eventRow, type TestEvents, testEvents } from '../testing/events.js';
import { querySchema } from './query.js';
import { runQuery } from './run.js';

const CHAINS = {
  buy: 'button.btn.primary:attr__id="buy"text="Buy \\"now\\"; or"nth-child="1"nth-of-type="1";form:attr__class="x y"nth-child="2"nth-of-type="1";div.page:nth-child="1"nth-of-type="1"',
  docs: 'a.btn:attr__data-attr="docs-link"href="/docs"text="Docs"nth-child="3"nth-of-type="2";li:nth-child="3"nth-of-type="3";nav.top.hover:bg-red:attr__id="menu"nth-child="1"nth-of-type="1"',
  span: 'span:text="a;button.btn"nth-child="1"nth-of-type="1";a:href="/docs/api"nth-child="1"nth-of-type="1";nav:nth-child="2"nth-of-type="1"',
  none: '',
};

let events: TestEvents;
beforeAll(async () => {
  events = await testEvents();
  const rows = Object.entries(CHAINS).map(([event, elements_chain], index) => eventRow(index, { event, elements_chain }));
  await events.put('events', rows);
});
afterAll(() => events.close());

async function found(filter: object): Promise<string> {
  const properties = [{ type: 'element', ...filter }];
  const query = validate(querySchema, { kind: 'EventsQuery', select: ['event'], after: 'all', orderBy: ['event'], properties });
  const result = await runQuery(events.store, query, { projectId: 1, timezone: 'UTC', now: Date.UTC(2024, 1, 1) });
  return JSON.stringify('results' in result ? result.results : null).replace(/[[\]"]/g, '');
}

describe('filters by element', () => {
  test.each([
    [{ key: 'tag_name', value: 'button' }, 'buy'],
    [{ key: 'tag_name', value: ['form', 'nav'] }, 'buy,docs,span'],
    [{ key: 'tag_name', operator: 'is_not', value: 'nav' }, 'buy,none'],
    [{ key: 'tag_name', operator: 'is_set' }, 'buy,docs,span'],
    [{ key: 'tag_name', operator: 'is_not_set' }, 'none'],
    [{ key: 'text', value: 'docs' }, 'docs'],
    [{ key: 'text', value: 'Buy "now"; or' }, 'buy'],
    [{ key: 'text', operator: 'icontains', value: 'BUTTON' }, 'span'],
    [{ key: 'text', operator: 'not_icontains', value: 'o' }, 'none'],
    [{ key: 'href', operator: 'starts_with', value: '/docs' }, 'docs,span'],
    [{ key: 'href', operator: 'regex', value: '^/docs$' }, 'docs'],
    [{ key: 'href', operator: 'not_regex', value: '^/docs$' }, 'buy,none,span'],
    [{ key: 'href', operator: 'regex', value: '(' }, ''],
    [{ key: 'selector', value: 'button' }, 'buy'],
    [{ key: 'selector', value: '.btn' }, 'buy,docs'],
    [{ key: 'selector', value: 'button.primary.btn' }, 'buy'],
    [{ key: 'selector', value: '#buy' }, 'buy'],
    [{ key: 'selector', value: '[id="menu"]' }, 'docs'],
    [{ key: 'selector', value: 'nav a' }, 'docs,span'],
    [{ key: 'selector', value: 'nav > a' }, 'span'],
    [{ key: 'selector', value: 'nav > li > a[href="/docs"]' }, 'docs'],
    [{ key: 'selector', value: '.page form > button:nth-child(1)' }, 'buy'],
    [{ key: 'selector', value: 'button:nth-child(2)' }, ''],
    [{ key: 'selector', value: '[data-attr=docs-link]' }, 'docs'],
    [{ key: 'selector', value: '[data-attr]' }, 'docs'],
    [{ key: 'selector', value: '.hover\\:bg-red' }, 'docs'],
    [{ key: 'selector', operator: 'is_not', value: '.btn' }, 'none,span'],
    [{ key: 'selector', value: ['a a', 'span'] }, 'span'],
  ])('%j: %s', async (filter, expected) => {
    expect(await found(filter)).toBe(expected);
  });

  test.each([
    [{ key: 'color', value: 'x' }, 'properties__0__key'],
    [{ key: 'selector', value: 'a >' }, 'properties__0__value'],
    [{ key: 'selector', value: '> a' }, 'properties__0__value'],
    [{ key: 'selector', value: 'a:hover' }, 'properties__0__value'],
    [{ key: 'selector', operator: 'regex', value: 'a' }, 'properties__0__operator'],
    [{ key: 'text', operator: 'gt', value: 1 }, 'properties__0__operator'],
    [{ key: 'text' }, 'properties__0__value'],
  ])('%j is refused at %s', async (filter, attr) => {
    await expect(found(filter)).rejects.toMatchObject({ body: { attr } });
  });
});
