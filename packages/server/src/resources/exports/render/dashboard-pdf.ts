import { BOLD, fit, THEMES } from '@tidemark/charts';
import pdfkit from 'pdfkit';
import { formatTime } from '../../../kernel/display-text.js';
import type { CreationTime, DashboardSnapshot } from './drawing.js';
import type { PlacedText } from './extract-texts.js';
import { type Face, type Faces, SHIPPED_BOLD, SHIPPED_FONT } from './faces.js';
import { HEAD, MARGIN, PAGE, PAGE_GAP, POINTS, pageCells } from './place-tiles.js';
import { type Run, visualRuns } from './visual-runs.js';

/** A tile as an image, with the texts in it. */
export interface TilePicture {
  png: Buffer;
  texts: readonly PlacedText[];
}

/**
 * A PDF with the images of the tiles in reading order and page numbers. The texts of each image lie on it as invisible text, so that
 * people can search and select them, and screen readers can read them.
 */
export function dashboardPdf(
  dashboard: DashboardSnapshot,
  pictures: readonly TilePicture[],
  created: CreationTime,
  faces: Faces,
): Promise<Buffer> {
  const theme = THEMES[dashboard.theme];
  const document = new pdfkit({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    autoFirstPage: false,
    bufferPages: true,
    font: SHIPPED_FONT,
    info: {
      Title: dashboard.title ?? dashboard.tiles[0]?.title ?? 'Export',
      CreationDate: new Date(created.at),
      Producer: 'Tidemark',
      Creator: 'Tidemark',
    },
  });
  const chunks: Buffer[] = [];
  const whole = new Promise<Buffer>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
  document.registerFont('regular', SHIPPED_FONT);
  document.registerFont('bold', SHIPPED_BOLD);
  const hasHead = dashboard.title !== null;
  const cells = pageCells(pictures.length, hasHead ? HEAD : 0);
  const perPage = cells.columns * cells.rows;
  const pages = Math.max(1, Math.ceil(pictures.length / perPage));
  for (let page = 0; page < pages; page++) {
    document.addPage();
    document.rect(0, 0, PAGE.width, PAGE.height).fill(theme.background);
    if (dashboard.title !== null) head(document, dashboard.title || 'Dashboard', dashboard.note, theme, faces);
    const top = MARGIN + (hasHead ? HEAD : 0);
    for (const [i, { png, texts }] of pictures.slice(page * perPage, (page + 1) * perPage).entries()) {
      const x = MARGIN + (i % cells.columns) * (cells.width + PAGE_GAP);
      const y = top + Math.floor(i / cells.columns) * (cells.height + PAGE_GAP);
      document.image(png, x, y, { width: cells.width, height: cells.height });
      for (const text of texts) invisibleText(document, text, x, y, faces);
    }
    if (pictures.length === 0)
      document.font('regular').fontSize(12).fillColor(theme.muted).text('This dashboard has no tiles.', MARGIN, top);
    foot(document, formatTime(created.at, created.timezone), `${page + 1} / ${pages}`, theme.muted);
  }
  document.end();
  return whole;
}

type Doc = InstanceType<typeof pdfkit>;

/** Title and description of the dashboard, a line each. */
function head(document: Doc, title: string, note: string, theme: { text: string; muted: string }, faces: Faces): void {
  line(document, title, { y: MARGIN - 6, size: 18, color: theme.text, font: 'bold' }, faces);
  if (note) line(document, note, { y: MARGIN + 20, size: 10, color: theme.muted, font: 'regular' }, faces);
}

interface LineStyle {
  y: number;
  size: number;
  color: string;
  font: 'regular' | 'bold';
}

/** Writes a line, cut with an ellipsis at the margin of the page. */
function line(document: Doc, text: string, { y, size, color, font }: LineStyle, faces: Faces): void {
  const wider = font === 'bold' ? BOLD : 1;
  const shown = faces.drawable(fit(text, PAGE.width - 2 * MARGIN, size * wider, faces.measure), true);
  document.fontSize(size).fillColor(color);
  write(document, shown, { x: MARGIN, y, font, baseline: 'top' }, faces);
}

/** Lays a text of an image over it, invisibly. `left` and `top`: the corner of the image; points. */
function invisibleText(
  document: Doc,
  { text, x, y, size, anchor, isCentral }: PlacedText,
  left: number,
  top: number,
  faces: Faces,
): void {
  const shown = faces.drawable(text, true);
  document.fontSize(size * POINTS).fillOpacity(0);
  const width = document.font('regular').widthOfString(shown);
  const start = left + x * POINTS - (anchor === 'start' ? 0 : anchor === 'end' ? width : width / 2);
  const baseline = isCentral ? 'middle' : 'alphabetic';
  write(document, shown, { x: start, y: top + y * POINTS, font: 'regular', baseline }, faces);
  document.fillOpacity(1);
}

interface Start {
  x: number;
  y: number;
  font: 'regular' | 'bold';
  /** Which line of the font is at `y`. */
  baseline: 'top' | 'middle' | 'alphabetic';
}

/** Writes a text in the current size, each letter in the first font that has it. */
function write(document: Doc, text: string, { x, y, font, baseline }: Start, faces: Faces): void {
  let at = x;
  for (const { face, part } of visualRuns(text).flatMap((run) => partsOf(run, faces))) {
    if (!face || face.path === SHIPPED_FONT) document.font(font);
    else if (face.name === null) document.font(face.path);
    else document.font(face.path, face.name);
    // an empty list of features makes pdfkit lay out the text as a whole; word by word, Arabic words would stand in the wrong order
    document.text(part, at, y, { lineBreak: false, features: [], baseline });
    at += document.widthOfString(part);
  }
}

function partsOf({ text, isRightToLeft }: Run, faces: Faces): { face: Face | undefined; part: string }[] {
  const parts: { face: Face | undefined; part: string }[] = [];
  for (const char of text) {
    const face = faces.faceOf(char.codePointAt(0) ?? 0, true);
    const last = parts.at(-1);
    if (last && last.face === face) last.part += char;
    else parts.push({ face, part: char });
  }
  return isRightToLeft ? parts.reverse() : parts;
}

function foot(document: Doc, left: string, right: string, color: string): void {
  const y = PAGE.height - MARGIN - 4;
  const line = { width: PAGE.width - 2 * MARGIN, lineBreak: false };
  document.font('regular').fontSize(9).fillColor(color).text(left, MARGIN, y, line);
  document.text(right, PAGE.width - MARGIN - document.widthOfString(right), y, line);
}
