import { measureBy, renderSvg } from '@tidemark/charts/svg';
import { workerData } from 'piscina';
import type { Sharp } from 'sharp';
import type { Board } from './dashboard.js';
import type { TilePicture } from './dashboard-pdf.js';
import { boardSvg, type Picture, tilePicture } from './dashboard-svg.js';
import { openFaces } from './faces.js';
import { useFonts } from './fonts.js';
import { HEAD, POINTS, pageCells } from './page-cells.js';
import type { Drawing, RendererFolders } from './protocol.js';
import { textsOf } from './svg-texts.js';

// Runs in a worker thread, so that drawing does not block the event loop of the service. A thread draws one thing at a time.

const { fontFolder, home }: RendererFolders = workerData;
await useFonts(fontFolder, home);
// the renderer looks for its fonts once, when it is loaded
const { default: sharp } = await import('sharp');
// pictures are made one at a time, and seldom twice
sharp.cache(false);
const faces = openFaces(fontFolder);
const { measure, measureElsewhere } = faces;

const raster = ({ svg }: Picture, scale: number): Sharp =>
  sharp(Buffer.from(faces.drawable(svg)), { density: 72 * scale, limitInputPixels: false, unlimited: true });

/** What a thread does for each drawing; the bytes of a PNG, a PDF, or of SVG text in UTF-8. */
export async function draw(drawing: Drawing): Promise<Uint8Array> {
  if (drawing.kind === 'svg') {
    const { insight, size } = drawing;
    measureBy(measureElsewhere);
    return Buffer.from(renderSvg(insight, { ...size, measure: measureElsewhere }));
  }
  if (drawing.kind === 'png') {
    measureBy(measure);
    return raster(boardSvg(drawing.board, measure), 2).png({ compressionLevel: 6, adaptiveFiltering: false }).toBuffer();
  }
  // few ask for documents, whose library is large
  const { boardPdf } = await import('./dashboard-pdf.js');
  return boardPdf(drawing.board, await pictures(drawing.board), drawing.made, faces);
}

async function pictures(board: Board): Promise<TilePicture[]> {
  const { width, height } = pageCells(board.tiles.length, board.title === null ? 0 : HEAD);
  const size = { width: width / POINTS, height: height / POINTS };
  measureBy(measure);
  const all: TilePicture[] = [];
  for (const tile of board.tiles) {
    const picture = tilePicture(tile, size, board, measure);
    const png = await raster(picture, 2).flatten().png({ compressionLevel: 6 }).toBuffer();
    all.push({ png, texts: textsOf(picture.svg) });
  }
  return all;
}
