import { Readable } from 'node:stream';
import type { ThemeName } from '@tidemark/charts';
import { toLocal } from '../../../analytics/index.js';
import type { Reading } from '../data/compute.js';
import type { Material } from '../data/export-data.js';
import type { Format } from '../formats.js';
import type { Renderer } from '../render/renderer.js';
import { csv } from '../spreadsheet/csv.js';
import { type Clock, xlsx } from '../spreadsheet/xlsx.js';
import { boardOf } from './dashboard-snapshot.js';
import { json } from './json.js';
import { sheetsOf } from './sheets.js';

/** How an export was asked to look. */
export interface Look {
  theme: ThemeName;
  /** Which columns of a table, in which order; null: all. */
  columns: string[] | null;
  /** Rows at most of each table; null: as many as there are. */
  limit: number | null;
}

/** Makes the content of an export. */
export async function makeContent(
  renderer: Renderer,
  reading: Reading,
  material: Material,
  format: Format,
  look: Look,
): Promise<Uint8Array | Readable> {
  switch (format) {
    case 'image/png':
      return renderer.png(boardOf(material, look.theme), reading.signal);
    case 'application/pdf':
      return renderer.pdf(
        boardOf(material, look.theme),
        { at: reading.now, timezone: reading.reader.project.timezone },
        reading.signal,
      );
    case 'text/csv':
      return Readable.from(csv(await sheetsOf(reading, material, look)));
    case 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet':
      return Readable.from(xlsx(await sheetsOf(reading, material, look), clockOf(reading)));
    case 'application/json':
      return Readable.from(json(material));
  }
}

function clockOf({ reader: { project } }: Reading): Clock {
  const { timezone: zone } = project;
  return { zone, toLocal: (instant) => toLocal(instant, zone) };
}
