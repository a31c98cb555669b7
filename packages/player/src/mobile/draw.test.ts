import { expect, test } from 'vitest';
import { createViewer, meta, outline } from '../testing/mobile.js';

const PNG = 'iVBORw0KGgo=';
const AT = { x: 10, y: 20, width: 100, height: 40 };
const PLACE = 'left:10px;top:20px;width:100px;height:40px';

function drawn(wireframe: object): string[] {
  const viewer = createViewer();
  viewer.see(meta(), outline({ id: 1, ...AT, ...wireframe }));
  return viewer.lines();
}

test.each<[string, object, string]>([
  [
    'a screenshot',
    { type: 'screenshot', base64: `data:image/webp;base64,${PNG}` },
    `<img style="${PLACE}" src="data:image/webp;base64,${PNG}"></img>`,
  ],
  [
    'an image that does not say its kind',
    { type: 'image', base64: 'iVBO\nRw0K\r\nGgo=' },
    `<img style="${PLACE}" src="data:image/png;base64,${PNG}"></img>`,
  ],
  ['an image that was hidden', { type: 'image' }, `<div class="placeholder" style="${PLACE}">Image</div>`],
  ['a text', { type: 'text', text: '<b>Total</b>\n12 €' }, `<div class="text" style="${PLACE}"><b>Total</b>\n12 €</div>`],
  [
    'a rectangle',
    { type: 'rectangle', style: { backgroundColor: '#ff0000' } },
    `<div style="${PLACE};background-color:#ff0000"></div>`,
  ],
  ['a box', { type: 'div' }, `<div style="${PLACE}"></div>`],
  ['a group', { type: 'radio_group' }, `<div style="${PLACE}"></div>`],
  ['what has no kind', {}, `<div style="${PLACE}"></div>`],
  ['a kind that is new', { type: 'hologram' }, `<div style="${PLACE}"></div>`],
  [
    'a web page, without its address',
    { type: 'web_view', url: 'https://a.example/?token=1' },
    `<div class="placeholder" style="${PLACE}">Web page</div>`,
  ],
  ['a placeholder', { type: 'placeholder', label: 'Map' }, `<div class="placeholder" style="${PLACE}">Map</div>`],
  ['a bar of the system', { type: 'status_bar' }, `<div class="bar" style="${PLACE}"></div>`],
  [
    'a bar with buttons',
    { type: 'navigation_bar' },
    `<div class="bar" style="${PLACE}"><div>◁</div><div>○</div><div>□</div></div>`,
  ],
  [
    'a field',
    { type: 'input', inputType: 'email', value: 'ada@example.com' },
    `<div class="field" style="${PLACE}">ada@example.com</div>`,
  ],
  ['a number', { type: 'input', inputType: 'number', value: 12.5 }, `<div class="field" style="${PLACE}">12.5</div>`],
  ['a password', { type: 'input', inputType: 'password', value: 'secret' }, `<div class="field" style="${PLACE}">••••••</div>`],
  ['a large field', { type: 'input', inputType: 'text_area', value: 'a\nb' }, `<div class="area" style="${PLACE}">a\nb</div>`],
  [
    'a field that is off',
    { type: 'input', inputType: 'text', value: 'a', disabled: true },
    `<div class="field disabled" style="${PLACE}">a</div>`,
  ],
  ['a button', { type: 'input', inputType: 'button', value: 'Buy' }, `<div class="button" style="${PLACE}">Buy</div>`],
  [
    'a choice',
    { type: 'input', inputType: 'select', value: 'Red', options: ['Red', 'Blue'] },
    `<div class="select" style="${PLACE}"><div>Red</div><div>▾</div></div>`,
  ],
  [
    'a checkbox',
    { type: 'input', inputType: 'checkbox', checked: true, label: 'Yes' },
    `<div class="choice checkbox" style="${PLACE}"><div class="mark on"></div><div>Yes</div></div>`,
  ],
  [
    'a radio button',
    { type: 'input', inputType: 'radio', checked: false },
    `<div class="choice radio" style="${PLACE}"><div class="mark"></div><div></div></div>`,
  ],
  [
    'a toggle',
    { type: 'input', inputType: 'toggle', checked: true, label: 'On' },
    `<div class="choice toggle" style="${PLACE}"><div>On</div><div class="mark on"></div></div>`,
  ],
  [
    'how far it is',
    { type: 'input', inputType: 'progress', value: 3, max: 12 },
    `<div class="progress horizontal" style="${PLACE}"><div style="background:linear-gradient(90deg,currentColor 25.0%,#8884 0)"></div></div>`,
  ],
  [
    'how far it is, around',
    { type: 'input', inputType: 'progress', value: 0.5, style: { bar: 'circular' } },
    `<div class="progress circular" style="${PLACE}"><div style="background:conic-gradient(currentColor 50.0%,#8884 0)"></div></div>`,
  ],
  [
    'that it goes on',
    { type: 'input', inputType: 'progress' },
    `<div class="progress horizontal busy" style="${PLACE}"><div style="background:linear-gradient(90deg,currentColor 30.0%,#8884 0)"></div></div>`,
  ],
  [
    'stars',
    { type: 'input', inputType: 'progress', value: 3.5, max: 5, style: { bar: 'rating' } },
    `<div class="field" style="${PLACE}">★★★★☆</div>`,
  ],
  ['an input that is new', { type: 'input', inputType: 'dial' }, `<div style="${PLACE}"></div>`],
])('%s', (_name, wireframe, expected) => {
  expect(drawn(wireframe)).toEqual([expected]);
});

test('styles are from a fixed list, and each value has its expected form', () => {
  const style = {
    color: '#35373e',
    backgroundColor: 'rgba(1, 2, 3, 0.5)',
    backgroundImage: `data:image/png;base64,${PNG}`,
    backgroundSize: 'cover',
    borderWidth: '2px',
    borderRadius: 4,
    borderColor: '#abc',
    fontSize: '14.5',
    fontFamily: 'monospace',
    paddingLeft: 3,
    paddingTop: '1px',
    horizontalAlign: 'right',
    verticalAlign: 'center',
  };
  expect(drawn({ width: '100vw', style })).toEqual([
    `<div style="left:10px;top:20px;width:100vw;height:40px;color:#35373e;background-color:rgba(1, 2, 3, 0.5);background-image:url(data:image/png;base64,${PNG});background-size:cover;background-repeat:no-repeat;border:2px solid #abc;border-radius:4px;font-size:14.5px;font-family:monospace;padding-top:1px;padding-left:3px;justify-content:flex-end;text-align:right;align-items:center"></div>`,
  ]);
});

test.each<[string, object]>([
  ['a color with more in it', { style: { color: 'red;background:url(//a.example)', borderColor: 'expression(1)' } }],
  ['a color that is a variable', { style: { backgroundColor: 'var(--x)' } }],
  ['an address for a background', { style: { backgroundImage: 'https://a.example/x.png' } }],
  ['a drawing for a background', { style: { backgroundImage: 'data:image/svg+xml;base64,PHN2Zz4=' } }],
  ['a background that ends early', { style: { backgroundImage: `${PNG});background:url(//a.example` } }],
  ['a font from elsewhere', { style: { fontFamily: 'x;src:url(//a.example)', fontSize: '1em', paddingLeft: 'calc(1px)' } }],
  ['styles that are not known', { style: { position: 'static', zIndex: 9, content: 'x', __proto__: { color: '#fff' } } }],
  ['styles that are a text', { style: 'color:red' }],
])('%s is dropped', (_name, wireframe) => {
  expect(drawn(wireframe)).toEqual([`<div style="${PLACE}"></div>`]);
});

test.each([
  ['a drawing', 'data:image/svg+xml;base64,PHN2Zz4='],
  ['an address', 'https://a.example/x.png'],
  ['a page', 'data:text/html;base64,PHN2Zz4='],
  ['nothing after its kind', 'data:image/png;base64,'],
  ['what is no base64', 'data:image/png;base64,a"b'],
  ['an object', { src: 'x' }],
])('an image that is %s is a placeholder', (_name, base64) => {
  expect(drawn({ type: 'image', base64 })).toEqual([`<div class="placeholder" style="${PLACE}">Image</div>`]);
});

test.each([Number.NaN, 'wide', '50%', -1e9, '1e999px', null, [10], { px: 10 }])('a position of %j is ignored', (value) => {
  expect(drawn({ x: value, y: value, width: value, height: value })).toEqual([`<div style="left:0px;top:0px"></div>`]);
});
