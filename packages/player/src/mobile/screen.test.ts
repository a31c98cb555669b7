import fc from 'fast-check';
import { expect, test } from 'vitest';
import { change, createViewer, keyboard, meta, outline, recorded } from '../testing/mobile.js';

const text = (id: number, words: string, ...childWireframes: object[]) => ({ id, type: 'text', text: words, childWireframes });
const shot = (id: number, letters: string) => ({ id, type: 'screenshot', x: 0, y: 0, width: 400, height: 800, base64: letters });
const words = (lines: string[]) => lines.map((line) => line.replace(/<[^>]*>/g, ''));

test('a full snapshot shows all wireframes as siblings, and bars above the others', () => {
  const viewer = createViewer();
  const bar = { id: 9, type: 'navigation_bar' };
  const [size, picture] = viewer.see(
    meta(),
    outline({ id: 1, type: 'div', childWireframes: [bar, text(2, 'a', text(3, 'b')), text(4, 'c')] }),
  );
  expect([size?.type, picture?.type]).toEqual([4, 2]);
  expect(words(viewer.lines())).toEqual(['', 'a', 'b', 'c', '◁○□']);
});

test('additions, updates and removals leave the nodes of all others', () => {
  const viewer = createViewer();
  viewer.see(meta(), outline(text(1, 'one'), text(2, 'two', text(3, 'three')), text(4, 'four')));
  const [one, two, three, four] = viewer.ids();
  // as recorders send it: a parent with what is new in it, and that by itself
  const [changed] = viewer.see(
    change({
      removes: [{ id: 4, parentId: null }],
      adds: [{ parentId: 2, wireframe: text(5, 'five') }],
      updates: [{ parentId: null, wireframe: text(2, 'Two', text(3, 'three'), text(5, 'five')) }],
    }),
  );
  expect(words(viewer.lines())).toEqual(['one', 'Two', 'three', 'five']);
  expect(viewer.ids().slice(0, 3)).toEqual([one, two, three]);
  expect(changed?.data).toMatchObject({ removes: [{ id: four }], texts: [{ value: 'Two' }], attributes: [] });
  // into another, and back in its order
  viewer.see(change({ updates: [{ parentId: 1, wireframe: text(5, 'Five') }] }));
  expect(words(viewer.lines())).toEqual(['one', 'Five', 'Two', 'three']);
  viewer.see(change({ removes: [{ id: 2 }] }));
  expect(words(viewer.lines())).toEqual(['one', 'Five']);
});

test('a screenshot updates the existing element, so that nothing flickers', () => {
  const viewer = createViewer();
  viewer.see(meta(), outline(shot(1, 'AAAA')));
  const ids = viewer.ids();
  const [whole] = viewer.see(outline(shot(1, 'BBBB')));
  const [update] = viewer.see(change({ updates: [{ wireframe: shot(1, 'CCCC') }] }));
  expect(viewer.ids()).toEqual(ids);
  for (const [event, letters] of [
    [whole, 'BBBB'],
    [update, 'CCCC'],
  ] as const)
    expect(event).toMatchObject({
      type: 3,
      data: {
        adds: [],
        removes: [],
        texts: [],
        attributes: [{ id: ids[0], attributes: { src: `data:image/png;base64,${letters}` } }],
      },
    });
  expect(viewer.see(outline(shot(1, 'CCCC')))).toEqual([]);
});

test('the latest of several screens is on top', () => {
  const viewer = createViewer();
  viewer.see(meta(), outline(shot(1, 'AAAA')), change({ updates: [{ wireframe: shot(2, 'BBBB') }] }));
  const order = () => viewer.lines().map((line) => /base64,(.)/.exec(line)?.[1]);
  expect(order()).toEqual(['A', 'B']);
  viewer.see(change({ updates: [{ parentId: 77, wireframe: shot(1, 'CCCC') }] }));
  expect(order()).toEqual(['B', 'C']);
});

test('the size is that of the meta event, or else that of the window', () => {
  const viewer = createViewer();
  expect(viewer.see(outline(shot(1, 'AAAA')))).toMatchObject([{ type: 4, data: { width: 400, height: 800 } }, { type: 2 }]);
  expect(viewer.see(meta(800, 400), outline(shot(1, 'BBBB'))).map(({ type }) => type)).toEqual([4, 2]);
  // turned back
  expect(viewer.see(outline(shot(1, 'CCCC')))).toMatchObject([
    { type: 4, data: { href: 'MainActivity', width: 400, height: 800 } },
    { type: 2 },
  ]);
  expect(createViewer().see(outline({ id: 1, width: 'x' }))).toMatchObject([{ type: 2 }]);
});

test('the keyboard is below the bars and above everything else, until it closes or another screen begins', () => {
  const viewer = createViewer();
  const screen = outline(text(1, 'a'), { id: 2, type: 'navigation_bar' });
  viewer.see(meta(), screen, keyboard({ open: true, height: 300 }));
  expect(words(viewer.lines())).toEqual(['a', 'Keyboard', '◁○□']);
  expect(viewer.lines()[1]).toContain('style="left:0px;top:500px;width:100vw;height:300px"');
  viewer.see(screen);
  expect(words(viewer.lines())).toContain('Keyboard');
  viewer.see(keyboard({ open: false }));
  expect(words(viewer.lines())).toEqual(['a', '◁○□']);
  viewer.see(keyboard({ open: true, x: 5, y: 6, width: 7, height: 8, styles: { color: '#fff' } }));
  expect(viewer.lines()[1]).toContain('style="left:5px;top:6px;width:7px;height:8px;color:#fff"');
  viewer.see(meta(), screen);
  expect(words(viewer.lines())).toEqual(['a', '◁○□']);
});

test('touches have their positions, and are on existing nodes', () => {
  const viewer = createViewer();
  viewer.see(meta(), outline(text(1, 'a')));
  const touch = (data: object) => viewer.see(recorded(3, { source: 2, id: 0, pointerType: 2, ...data }));
  expect(touch({ type: 7, x: 10, y: 20 })).toEqual([recorded(3, { source: 2, type: 7, id: 7, x: 10, y: 20 })]);
  expect(touch({ type: 9, x: 10, y: 20, id: 1 })).toMatchObject([{ data: { type: 9, id: 7 } }]);
  for (const data of [{ type: 7, x: 'left', y: 1 }, { type: 5, x: 1, y: 1 }, { type: 7 }]) expect(touch(data)).toEqual([]);
});

test('snapshots of web pages and events of other kinds are unchanged', () => {
  const page = recorded(2, { node: { type: 0, childNodes: [], id: 1 } });
  const events = [
    meta(),
    page,
    change({ adds: [], removes: [], texts: [], attributes: [] }),
    keyboard({ open: true }),
    recorded(3, { source: 3, id: 1 }),
  ];
  expect(createViewer().see(...events)).toEqual(events);
  const console = recorded(6, { plugin: 'rrweb/console@1', payload: {} });
  const viewer = createViewer();
  viewer.see(meta(), outline(text(1, 'a')));
  // what names nodes of pages names none of these
  expect(viewer.see(console, recorded(3, { source: 3, id: 1 }), recorded(5, { tag: 'other' }))).toEqual([
    console,
    recorded(5, { tag: 'other' }),
  ]);
  expect(viewer.see(page, outline(text(2, 'b'))).map(({ type }) => type)).toEqual([2, 2]);
});

test.each<[string, unknown]>([
  ['no list', 'none'],
  ['nothing', null],
  ['what is nothing', [null, 1, 'a', [], text(1, 'a')]],
  ['the same twice', [text(1, 'a'), text(1, 'b')]],
  ['children that are none', [{ ...text(1, 'a'), childWireframes: { id: 2 } }]],
])('wireframes that are %s are skipped', (_name, wireframes) => {
  const viewer = createViewer();
  viewer.see(meta(), recorded(2, { wireframes }));
  expect(words(viewer.lines())).toEqual(Array.isArray(wireframes) ? ['a'] : []);
});

test('changes of missing nodes are skipped, and the others are applied', () => {
  const viewer = createViewer();
  viewer.see(meta(), outline(text(1, 'a')));
  viewer.see(
    change({
      adds: 'x',
      updates: [null, { wireframe: null }, { wireframe: text(8, 'no') }, { parentId: 1, wireframe: { type: 'text' } }],
      removes: [{ id: 99 }, 7, null],
    }),
    change({
      adds: [
        { parentId: 99, wireframe: text(2, 'no') },
        { parentId: 1, wireframe: text(3, 'b') },
      ],
    }),
  );
  expect(words(viewer.lines())).toEqual(['a', 'b']);
});

test('endlessly nested wireframes are cut off', () => {
  const viewer = createViewer();
  const deep = `${'{"id":1,"childWireframes":[{"childWireframes":['.repeat(20_000)}${']}]}'.repeat(20_000)}`;
  viewer.see(meta(), JSON.parse(`{"type":2,"timestamp":1,"data":{"wireframes":[${deep}]}}`));
  // and one by one
  for (let id = 2; id < 5_000; id++) viewer.see(change({ adds: [{ parentId: id - 1, wireframe: text(id, 'x') }] }));
  viewer.see(change({ adds: [{ parentId: 1, wireframe: text(9_999, 'last') }] }));
  expect(viewer.lines().length).toBeLessThan(500);
  expect(words(viewer.lines()).at(-1)).toBe('last');
});

const id = fc.integer({ min: 1, max: 6 });
const wireframe = fc.letrec<{ one: object }>((tie) => ({
  one: fc.record({
    id,
    type: fc.constantFrom('text', 'div', 'screenshot', 'status_bar', 'image', 'placeholder'),
    text: fc.constantFrom('a', 'b'),
    label: fc.constantFrom('c', 'd'),
    base64: fc.constantFrom('AAAA', 'BBBB'),
    childWireframes: fc.oneof({ maxDepth: 2 }, fc.constant([]), fc.array(tie('one'), { maxLength: 3 })),
  }),
})).one;
const node = fc.record({ parentId: fc.option(id), wireframe });
const step = fc.oneof(
  fc
    .record({
      adds: fc.array(node, { maxLength: 3 }),
      updates: fc.array(node, { maxLength: 3 }),
      removes: fc.array(fc.record({ id }), { maxLength: 2 }),
    })
    .map(change),
  fc.array(wireframe, { maxLength: 4 }).map((wireframes) => outline(...wireframes)),
  fc.boolean().map((open) => keyboard({ open, height: 100 })),
);

test('after any changes the page equals one that was drawn at once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const changed = createViewer();
      changed.see(outline(), ...steps);
      const lines = changed.lines();
      // a new page begins with a whole picture of what is shown; it closes the keyboard
      const [, picture] = changed.see(meta(), change({}));
      expect(picture?.type).toBe(2);
      expect(changed.lines()).toEqual(lines.filter((line) => !line.includes('>Keyboard<')));
      expect(new Set(changed.ids()).size).toBe(changed.ids().length);
    }),
    { numRuns: 500 },
  );
});
