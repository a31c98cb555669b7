import { expect, test } from 'vitest';
import { extractTexts } from './extract-texts.js';

test('texts of a picture are read with their places: of nested pictures, moved groups and texts of their own', () => {
  const svg = [
    '<svg width="600" height="400"><rect width="600" height="400"/>',
    '<text x="16" y="31" xml:space="preserve"><tspan font-size="15">A &lt;b&gt; </tspan><tspan font-size="15">&amp; c</tspan></text>',
    '<svg x="8" y="63"><g transform="translate(10 5)"><path d="M0 0"/>',
    '<text dominant-baseline="central" text-anchor="end" style="font-size:12px;" transform="translate(21.5 -2)">7</text></g>',
    '<text text-anchor="middle" transform="matrix(0,1,-1,0,30,40)" style="font-size:9px;">turned</text><text> </text></svg></svg>',
  ].join('');
  expect(extractTexts(svg)).toEqual([
    { text: 'A <b> & c', x: 16, y: 31, size: 15, anchor: 'start', isCentral: false },
    { text: '7', x: 39.5, y: 66, size: 12, anchor: 'end', isCentral: true },
    { text: 'turned', x: 38, y: 103, size: 9, anchor: 'middle', isCentral: false },
  ]);
});
