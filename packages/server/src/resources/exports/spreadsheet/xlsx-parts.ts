import type { Cell } from '@tidemark/charts';
import { escapeXmlText } from '../../../kernel/display-text.js';
import type { DateCell } from './date-cell.js';

/** Characters of a cell that Excel opens. */
const MAX_TEXT = 32_767;
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const NAMESPACE = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Reads a text as a date; null: it is not one. */
type ReadDate = (text: string) => DateCell | null;

/** Indexes into `cellXfs` of `styles.xml`. */
const STYLES = { head: 1, date: 2, time: 3, headDate: 4, headTime: 5, whole: 6, fraction: 7 } as const;

/** The first row stays visible. */
const FROZEN = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';

/** The start of a sheet with its header row, which is bold and stays visible. `first`: rows that decide how wide the columns are. */
export function sheetHead(columns: readonly string[], first: readonly (readonly Cell[])[], dateOf: ReadDate): string {
  return `${HEAD}<worksheet xmlns="${NAMESPACE}" xmlns:r="${OFFICE}"><sheetViews><sheetView workbookViewId="0">${columns.length > 0 ? FROZEN : ''}</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>${widths(columns, first, dateOf)}<sheetData>${row(columns, 1, { isHead: true }, dateOf)}`;
}

export function sheetRows(rows: readonly (readonly Cell[])[], first: number, kind: RowKind, dateOf: ReadDate): string {
  let xml = '';
  for (let i = 0; i < rows.length; i++) xml += row(rows[i] ?? [], first + i, kind, dateOf);
  return xml;
}

/** The end of a sheet, with a filter on its header row, and its picture if it has one. */
export const sheetEnd = (columns: number, rows: number, hasPicture = false): string =>
  `</sheetData>${columns > 0 ? `<autoFilter ref="A1:${letters(columns)}${rows}"/>` : ''}${hasPicture ? '<drawing r:id="rId1"/>' : ''}</worksheet>`;

/** Width of a column of times, in characters: in a narrower one Excel shows `####`. */
const TIME_WIDTH = 20;
/** Rows that are searched for times. */
const SAMPLE_ROWS = 100;

function widths(columns: readonly string[], first: readonly (readonly Cell[])[], dateOf: ReadDate): string {
  if (columns.length === 0) return '';
  const sample = first.slice(0, SAMPLE_ROWS);
  const cols = columns.map((name, i) => {
    const hasTimes = [name, ...sample.map((cells) => cells[i])].some((cell) => typeof cell === 'string' && dateOf(cell)?.hasTime);
    const width = Math.min(50, Math.max(hasTimes ? TIME_WIDTH : 12, name.length + 3));
    return `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`;
  });
  return `<cols>${cols.join('')}</cols>`;
}

/** `isComputed`: see `Sheet`. */
interface RowKind {
  isHead?: boolean;
  isComputed?: boolean;
}

function row(cells: readonly Cell[], number: number, kind: RowKind, dateOf: ReadDate): string {
  let xml = `<row r="${number}">`;
  for (const value of cells) xml += cell(value, kind, dateOf);
  return `${xml}</row>`;
}

function cell(value: Cell, { isHead = false, isComputed = false }: RowKind, dateOf: ReadDate): string {
  const styled = isHead ? ` s="${STYLES.head}"` : '';
  if (value === null) return '<c/>';
  if (typeof value === 'number') return `<c${isComputed ? numberStyle(value) : styled}><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c t="b"${styled}><v>${value ? 1 : 0}</v></c>`;
  const date = dateOf(value);
  if (date) return `<c s="${styleOf(date, isHead)}"><v>${date.serial}</v></c>`;
  return `<c t="inlineStr"${styled}><is><t${EDGES.test(value) ? ' xml:space="preserve"' : ''}>${xmlText(value)}</t></is></c>`;
}

/** A number below 0.0001 has no format: it would be shown as 0. */
function numberStyle(value: number): string {
  if (Number.isInteger(value)) return ` s="${STYLES.whole}"`;
  return Math.abs(value) < 0.0001 ? '' : ` s="${STYLES.fraction}"`;
}

function styleOf({ hasTime }: DateCell, isHead: boolean): number {
  if (isHead) return hasTime ? STYLES.headTime : STYLES.headDate;
  return hasTime ? STYLES.time : STYLES.date;
}

/** White space that XML readers may drop without `xml:space`. */
const EDGES = /^\s|\s$|\s\s|[\t\r\n]/;
const PLAIN = /^[\x20-\x25\x27-\x3b\x3d\x3f-\x5e\x60-\x7e]*$/;

/** Escapes a text for a cell and cuts it to {@link MAX_TEXT}. Excel decodes `_x0041_` to a letter: such an underscore is escaped as well. */
function xmlText(text: string): string {
  const cut = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  // fast path: the searches below would cost more than the rest of the sheet
  if (PLAIN.test(cut)) return cut;
  return escapeXmlText(cut.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_'));
}

/** The name of the n-th column: A, B, …, Z, AA. */
function letters(n: number): string {
  const rest = Math.floor((n - 1) / 26);
  return (rest > 0 ? letters(rest) : '') + String.fromCharCode(65 + ((n - 1) % 26));
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const CORE = 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Formats of dates and times (ISO 8601, as in every locale) and of fractions. */
const FORMATS = `<numFmts count="3"><numFmt numFmtId="166" formatCode="#,##0.0###"/><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>`;

/** The files of a workbook besides its sheets and its picture, by name. `zone`: time zone of its times. `cellXfs` is in the order of `STYLES`. */
export const BOOK_PARTS = (sheets: readonly string[], zone: string, hasPicture: boolean): [name: string, xml: string][] => [
  [
    '[Content_Types].xml',
    `${HEAD}<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${hasPicture ? `<Default Extension="png" ContentType="image/png"/><Override PartName="/xl/drawings/drawing1.xml" ContentType="application/vnd.openxmlformats-officedocument.drawing+xml"/>` : ''}<Override PartName="/xl/workbook.xml" ContentType="${SHEET}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SHEET}.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>${sheets
      .map((_, i) => `<Override PartName="/xl/worksheets/sheet${i + 1}.xml" ContentType="${SHEET}.worksheet+xml"/>`)
      .join('')}</Types>`,
  ],
  [
    '_rels/.rels',
    `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" Type="${CORE}" Target="docProps/core.xml"/></Relationships>`,
  ],
  [
    'docProps/core.xml',
    `${HEAD}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description>Times are those of ${xmlText(zone)}.</dc:description></cp:coreProperties>`,
  ],
  [
    'xl/workbook.xml',
    `${HEAD}<workbook xmlns="${NAMESPACE}" xmlns:r="${OFFICE}"><sheets>${sheets
      .map((name, i) => `<sheet name="${xmlText(name).replaceAll('"', '&quot;')}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
      .join('')}</sheets></workbook>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `${HEAD}<Relationships xmlns="${RELATIONS}">${sheets
      .map((_, i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`)
      .join('')}<Relationship Id="rId0" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    'xl/styles.xml',
    `${HEAD}<styleSheet xmlns="${NAMESPACE}">${FORMATS}<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="8"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/><xf numFmtId="164" fontId="1" applyNumberFormat="1" applyFont="1"/><xf numFmtId="165" fontId="1" applyNumberFormat="1" applyFont="1"/><xf numFmtId="3" applyNumberFormat="1"/><xf numFmtId="166" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  ],
];

/** An image on the first sheet of a workbook. */
export interface SheetPicture {
  png: Uint8Array;
  /** Text for screen readers. */
  title: string;
}

/** Units of Office in a CSS pixel. */
const UNITS = 9525;
const DRAWING = 'http://schemas.openxmlformats.org/drawingml/2006';

/** The files of a picture on the first sheet, below its row number `row` (from 0). The image has two pixels for each CSS pixel. */
export function pictureParts({ png, title }: SheetPicture, row: number): [name: string, content: string | Uint8Array][] {
  const header = Buffer.from(png.buffer, png.byteOffset, 24);
  const size = [16, 20].map((at) => Math.round((header.readUInt32BE(at) / 2) * UNITS));
  const extent = `cx="${size[0]}" cy="${size[1]}"`;
  const name = xmlText(title).replaceAll('"', '&quot;');
  return [
    [
      'xl/worksheets/_rels/sheet1.xml.rels',
      `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/drawing" Target="../drawings/drawing1.xml"/></Relationships>`,
    ],
    [
      'xl/drawings/_rels/drawing1.xml.rels',
      `${HEAD}<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/image" Target="../media/image1.png"/></Relationships>`,
    ],
    [
      'xl/drawings/drawing1.xml',
      `${HEAD}<xdr:wsDr xmlns:xdr="${DRAWING}/spreadsheetDrawing" xmlns:a="${DRAWING}/main"><xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${row}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext ${extent}/><xdr:pic><xdr:nvPicPr><xdr:cNvPr id="1" name="Chart" descr="${name}"/><xdr:cNvPicPr><a:picLocks noChangeAspect="1"/></xdr:cNvPicPr></xdr:nvPicPr><xdr:blipFill><a:blip xmlns:r="${OFFICE}" r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:xfrm><a:off x="0" y="0"/><a:ext ${extent}/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic><xdr:clientData/></xdr:oneCellAnchor></xdr:wsDr>`,
    ],
    ['xl/media/image1.png', png],
  ];
}
