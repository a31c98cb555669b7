import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createViewer, meta, recorded } from '../testing/mobile.js';

const EVIL = [
  '<script>top.hacked = 1</script>',
  'javascript:top.hacked = 1',
  'https://a.example/x.png',
  'data:text/html;base64,PHNjcmlwdD4=',
  'data:image/svg+xml;base64,PHN2Zz4=',
  'data:image/png;base64,AAAA',
  'data:image/png;base64,AAAA);background:url(//a.example',
  'red;background:url(https://a.example)',
  '#fff;position:static',
  'expression(1)',
  '1px;}body{background:url(//a.example)',
  '100vw',
  '"><img src=x onerror=top.hacked=1>',
];
const NAMES = [
  'id',
  'type',
  'inputType',
  'x',
  'y',
  'width',
  'height',
  'style',
  'text',
  'label',
  'value',
  'max',
  'checked',
  'base64',
  'url',
];
const MORE = [
  'childWireframes',
  'wireframe',
  'parentId',
  'tagName',
  'attributes',
  'onload',
  'src',
  'href',
  'class',
  '__proto__',
  'constructor',
];
const STYLES = [
  'color',
  'backgroundColor',
  'backgroundImage',
  'backgroundSize',
  'borderWidth',
  'borderColor',
  'fontFamily',
  'fontSize',
  'bar',
];
const KINDS = [
  'screenshot',
  'image',
  'text',
  'div',
  'input',
  'web_view',
  'placeholder',
  'status_bar',
  'navigation_bar',
  'script',
  'iframe',
];
const INPUTS = ['text', 'password', 'checkbox', 'toggle', 'button', 'select', 'progress', 'text_area'];

/** Any JSON value, biased towards the keys and types of wireframes. */
const anything = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(...EVIL, ...KINDS, ...INPUTS, 1, 2, -1, 0.5, 1e300, true, false, null),
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES, ...MORE, ...STYLES), tie('any'), { maxKeys: 8 }),
  ),
})).any;
const wireframe = fc.record(
  {
    id: fc.oneof(fc.integer({ min: 0, max: 9 }), anything),
    type: fc.oneof(fc.constantFrom(...KINDS), anything),
    inputType: fc.constantFrom(...INPUTS),
    base64: anything,
    style: fc.oneof(fc.dictionary(fc.constantFrom(...STYLES), anything), anything),
    text: anything,
    label: anything,
    value: anything,
    x: anything,
    width: anything,
    childWireframes: anything,
  },
  { requiredKeys: [] },
);
const list = fc.oneof(fc.array(wireframe, { maxLength: 4 }), anything);
const nodes = fc.oneof(fc.array(fc.record({ parentId: anything, wireframe }), { maxLength: 4 }), anything);
const event = fc.oneof(
  list.map((wireframes) => recorded(2, { wireframes })),
  fc.record({ adds: nodes, updates: nodes, removes: anything }).map((data) => recorded(3, { source: 0, ...data })),
  anything.map((payload) => recorded(5, { tag: 'keyboard', payload })),
  fc.record({ type: anything, x: anything, y: anything }).map((data) => recorded(3, { ...data, source: 2 })),
  fc.record({ width: anything, height: anything, href: anything }).map((data) => recorded(4, data)),
);

/** All elements and texts of a node or a list of added nodes. */
function elementsIn(value: unknown, found: { tagName: unknown; attributes: object }[] = []) {
  if (typeof value !== 'object' || value === null) return found;
  const { tagName, attributes }: { tagName?: unknown; attributes?: unknown } = value;
  if (typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes)) found.push({ tagName, attributes });
  for (const part of Object.values(value)) elementsIn(part, found);
  return found;
}

const IMAGE = /data:image\/(png|jpe?g|webp|gif);base64,[A-Za-z0-9+/=]+/;
const URL = new RegExp(`url\\(${IMAGE.source}\\)`, 'g');
const COLOR = '(#[0-9a-fA-F]{3,8}|rgba?\\([\\d\\s.,%/]+\\)|currentColor)';
const VALUE = new RegExp(
  `^(-?\\d+(\\.\\d+)?(e-\\d+)?px|100vw|100% 100%|[a-z-]+|IMAGE|${COLOR}|-?[\\d.e-]+px solid ${COLOR}|(linear|conic)-gradient\\((90deg,)?currentColor [\\d.]+%,#8884 0\\))$`,
);

test('whatever wireframes have, only boxes, texts and recorded images are drawn', () => {
  let drawn = 0;
  fc.assert(
    fc.property(fc.array(event, { maxLength: 6 }), (events) => {
      const viewer = createViewer();
      viewer.see(meta(), recorded(2, { wireframes: [{ id: 1, type: 'text', text: 'a' }] }), ...events);
      const shown = viewer.all.filter(({ type }) => type === 2 || type === 3).map(({ data }) => data);
      for (const { tagName, attributes } of elementsIn(shown)) {
        drawn++;
        expect(['div', 'img', 'html', 'head', 'style', 'body', undefined]).toContain(tagName);
        for (const [name, value] of Object.entries(attributes)) {
          expect(['class', 'style', 'src']).toContain(name);
          if (value === null) continue;
          if (name === 'src') expect(value).toMatch(new RegExp(`^${IMAGE.source}$`));
          if (name === 'class') expect(value).toMatch(/^[a-z ]+$/);
          if (name !== 'style') continue;
          for (const declaration of value.replace(URL, 'IMAGE').split(';')) {
            const [property = '', ...rest] = declaration.split(':');
            expect(property).toMatch(/^[a-z-]+$/);
            expect(rest.join(':')).toMatch(VALUE);
          }
        }
      }
    }),
    { numRuns: 200 },
  );
  expect(drawn).toBeGreaterThan(1_000);
});
