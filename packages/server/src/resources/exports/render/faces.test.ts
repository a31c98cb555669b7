import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textOfPdf } from '../../../testing/text-of-pdf.js';
import { openFaces, SHIPPED_FONT } from './faces.js';
import { createRenderer } from './renderer.js';

/** A sign that the shipped fonts of sans serifs do not have and that with equal widths has. */
const ARC = '\u2312';

let folder: string;
let home: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-faces-'));
  home = await mkdtemp(join(tmpdir(), 'tidemark-faces-home-'));
  await copyFile(join(dirname(SHIPPED_FONT), 'DejaVuSansMono.ttf'), join(folder, 'more.ttf'));
  await writeFile(join(folder, 'broken.ttf'), 'no font');
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await rm(home, { recursive: true });
});

describe('letters', () => {
  test('letters without a font are drawn as dots, one for each visible character', () => {
    const { drawable } = openFaces(null);
    expect(drawable('Go 🚀 漢字 é ж Ω ✅ 👩‍👩‍👧!')).toBe('Go • •• é ж Ω • •!');
    expect(drawable('e\u0301 ❤\ufe0f عربى')).toBe('e\u0301 ❤\ufe0f عربى');
    expect(drawable(ARC)).toBe('•');
  });

  test("fonts of the operator's folder are used, and files that are not fonts are skipped", () => {
    const { drawable, faceOf, measure } = openFaces(folder);
    expect(drawable(`${ARC} 漢`)).toBe(`${ARC} •`);
    expect(faceOf(0x2312)?.path).toBe(join(folder, 'more.ttf'));
    expect(measure(ARC, 100)).toBeCloseTo(60.2, 1);
    expect(openFaces(join(folder, 'none')).drawable(ARC)).toBe('•');
  });

  test('of the machine are taken for what the others lack, and what none has is named', () => {
    const { drawable, faceOf, takeMissing } = openFaces(null, [join(folder, 'none'), folder]);
    expect(drawable(`Ä ${ARC} 漢 漢字`)).toBe(`Ä ${ARC} • ••`);
    expect(faceOf(0x2312)?.path).toBe(join(folder, 'more.ttf'));
    expect(faceOf(0x41)?.path).toBe(SHIPPED_FONT);
    expect([takeMissing(), takeMissing()]).toEqual([['漢', '字'], []]);
  });
});

test('a text that a browser will draw is measured with its fonts', () => {
  const { measure, measureForBrowser } = openFaces(null);
  expect(measureForBrowser('Go', 10)).toBe(measure('Go', 10));
  expect(measureForBrowser('漢字', 10)).toBe(20);
  expect(measure('漢字', 10)).toBe(measure('••', 10));
  // the sign above the second letter takes no room of its own
  expect(measureForBrowser('हर्', 10)).toBe(20);
});

test.each([
  [false, '•'],
  [true, ARC],
])('headings of documents are written in all fonts: with those of the operator: %s', async (hasMore, shown) => {
  const renderer = createRenderer({ fontFolder: hasMore ? folder : null, home });
  try {
    const board = { title: `An ${ARC} Ä לוח מכירות`, note: `Note ${ARC} 漢`, theme: 'light', tiles: [] } as const;
    const { bytes: pdf, missing } = await renderer.pdf({ ...board, tiles: [] }, { format: 'A4', isLandscape: false });
    const text = (await textOfPdf(pdf)).replace(/\s+/g, ' ');
    expect(text).toContain(`An ${shown} Ä`);
    expect(text).toContain('לוח מכירות');
    expect(text).toContain(`Note ${shown} •`);
    expect(missing).toEqual(hasMore ? ['漢'] : [ARC, '漢']);
  } finally {
    await renderer.close();
  }
});
