import type { Cell } from '@tidemark/charts';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { csv } from './csv.js';
import { onePage, type Sheet } from './sheet.js';
import { xlsx } from './xlsx.js';

const sheet = (columns: string[], rows: Cell[][], name = 'Sheet'): Sheet => ({ name, columns, pages: onePage(rows) });

async function whole(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}
const csvOf = async (...sheets: Sheet[]) => (await whole(csv(sheets))).toString();
const UTC = { zone: 'UTC', toLocal: (instant: number) => instant };
const filesOf = async (...sheets: Sheet[]) => {
  const files = unzipSync(await whole(xlsx(sheets, UTC)));
  return (name: string) => Buffer.from(files[name] ?? []).toString();
};

describe('CSV', () => {
  test.each<[Cell, string]>([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    [' =1', "' =1"],
    ['＝1', "'＝1"],
    [-1.5, '-1.5'],
    [1e21, '1e+21'],
    [true, 'true'],
    [null, ''],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['plain = text', 'plain = text'],
  ])('%j becomes %j', async (value, expected) => {
    const line = (await csvOf(sheet(['c'], [[value]]))).slice('c\r\n'.length, -2);
    expect(line).toBe(expected);
  });

  test('headers are guarded too, and several tables have their names above them', async () => {
    expect(await csvOf(sheet(['=x'], [[1]]))).toBe("'=x\r\n1\r\n");
    expect(await csvOf(sheet(['a'], [[1]], 'One'), sheet(['b'], [[2]], 'Two'))).toBe('One\r\na\r\n1\r\n\r\nTwo\r\nb\r\n2\r\n');
  });

  test('line breaks and outer spaces are quoted, and lines end in CR LF as RFC 4180 has it', async () => {
    expect(
      await csvOf(
        sheet(
          ['a', 'b'],
          [
            ['x\ry', ' z '],
            ['', null],
          ],
        ),
      ),
    ).toBe('a,b\r\n"x\ry"," z "\r\n,\r\n');
  });

  test('a long page is written in chunks, so that it is never in memory as one text', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => [i]);
    let chunks = 0;
    for await (const _ of csv([sheet(['n'], rows)])) chunks++;
    expect(chunks).toBeGreaterThan(3);
  });

  test('no text begins as a formula', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        const line = (await csvOf(sheet(['c'], [[text]]))).slice('c\r\n'.length);
        expect(line).not.toMatch(/^"?\s*[=+\-@]/);
      }),
    );
  });
});

describe('XLSX', () => {
  test('numbers, booleans and texts have their types', async () => {
    const file = await filesOf(
      sheet(
        ['a', 'b'],
        [
          [1.5, true],
          ['<x> & "y"', null],
          ['=1+1', -2],
        ],
      ),
    );
    const xml = file('xl/worksheets/sheet1.xml');
    expect(xml).toContain('<row r="2"><c><v>1.5</v></c><c t="b"><v>1</v></c></row>');
    expect(xml).toContain('<t>&lt;x&gt; &amp; "y"</t>');
    expect(xml).toContain('<t>=1+1</t></is></c><c><v>-2</v></c>');
    expect(xml).toContain('<autoFilter ref="A1:B4"/>');
    expect(xml).not.toContain('<f>');
  });

  test('characters that XML forbids are left out, and texts too long for a cell are cut', async () => {
    const file = await filesOf(sheet(['a'], [['\0a\x1fb\ud800'], ['_x000D_'], ['y'.repeat(40_000)]]));
    const xml = file('xl/worksheets/sheet1.xml');
    expect(xml).toContain('>ab\ufffd<');
    expect(xml).toContain('>_x005F_x000D_<');
    expect(xml).toMatch(/>y{32767}</);
  });

  test('columns of times are wide enough', async () => {
    const xml = (await filesOf(sheet(['a', 'b'], [['2026-05-01T10:00:00Z', '2026-05-01']])))('xl/worksheets/sheet1.xml');
    expect(xml).toContain('<col min="1" max="1" width="20" customWidth="1"/><col min="2" max="2" width="12" customWidth="1"/>');
  });

  test('names of sheets are valid in Excel and unique', async () => {
    const long = 'A very long name of a tile that goes on [and on]';
    const file = await filesOf(...[long, long.toUpperCase(), '', "'*'", 'a/b'].map((name) => sheet(['c'], [[1]], name)));
    const names = [...file('xl/workbook.xml').matchAll(/<sheet name="([^"]*)"/g)].map(([, name = '']) => name);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^[^[\]:*?/\\]{1,31}$/);
    expect(names[2]).toBe('Sheet');
  });

  test('any table is read back unchanged', async () => {
    const cell = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.stringMatching(/^[a-z ]{0,12}$/));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 50 }), async (rows) => {
        const xml = (await filesOf(sheet(['a', 'b', 'c'], rows)))('xl/worksheets/sheet1.xml');
        const read = [...xml.matchAll(/<row r="\d+">(.*?)<\/row>/g)]
          .slice(1)
          .map(([, row = '']) =>
            [
              ...row.matchAll(
                /<c\/>|<c t="inlineStr"><is><t(?: xml:space="preserve")?>(.*?)<\/t><\/is><\/c>|<c t="b"><v>(.)<\/v><\/c>|<c><v>(.*?)<\/v><\/c>/g,
              ),
            ].map(([, text, truth, number]) => text ?? (truth ? truth === '1' : number ? Number(number) : null)),
          );
        expect(read).toEqual(rows);
      }),
      { numRuns: 30 },
    );
  });
});
