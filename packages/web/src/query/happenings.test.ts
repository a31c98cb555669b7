import { expect, test } from 'vitest';
import { happeningsOf } from './happenings.js';

test('a chart has what happened in the project and on its own insight, the earliest first', () => {
  const note = (content: string | null, scope: string, dashboard_item: number | null, day: number) => ({
    content,
    scope,
    dashboard_item,
    date_marker: `2026-05-0${day}T00:00:00Z`,
  });
  const notes = [
    note('later', 'project', null, 3),
    note('of all projects', 'organization', null, 1),
    note('own', 'dashboard_item', 7, 2),
    note('of another', 'dashboard_item', 8, 2),
    note('of a dashboard', 'dashboard', null, 2),
    note('', 'project', null, 2),
    { ...note('without a time', 'project', null, 2), date_marker: null },
  ];
  const texts = (insight: number | null) => happeningsOf(notes, insight).map(({ text }) => text);
  expect(texts(7)).toEqual(['of all projects', 'own', 'later']);
  expect(texts(null)).toEqual(['of all projects', 'later']);
});
