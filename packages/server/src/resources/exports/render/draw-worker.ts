import { parentPort, workerData } from 'node:worker_threads';
import { measureBy, renderSvg } from '@tidemark/charts/svg';
import type { Sharp } from 'sharp';
import type { Board } from './board.js';
import { boardSvg, type Picture, tilePicture } from './board-svg.js';
import { openFaces } from './faces.js';
import { useFonts } from './fonts.js';
import { HEAD, pageCells } from './page-cells.js';
import type { Drawing, DrawingAnswer, DrawingRequest, RendererFolders } from './protocol.js';

// A thread of its own, so that nobody waits for a picture who has not asked for one.

const { fontFolder, home }: RendererFolders = workerData;
await useFonts(fontFolder, home);
// the renderer looks for its fonts once, when it is loaded
const { default: sharp } = await import('sharp');
// pictures are made one at a time, and seldom twice
sharp.cache(false);
const faces = openFaces(fontFolder);
const { measure, measureElsewhere } = faces;

/** Points of a document by pixel of its pictures' description. */
const POINTS = 0.6;

const raster = ({ svg }: Picture, scale: number): Sharp =>
  sharp(Buffer.from(faces.drawable(svg)), { density: 72 * scale, limitInputPixels: false, unlimited: true });

async function draw(drawing: Drawing): Promise<Uint8Array> {
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
  const { boardPdf } = await import('./board-pdf.js');
  return boardPdf(drawing.board, await pictures(drawing.board), drawing.made, faces);
}

async function pictures(board: Board): Promise<Buffer[]> {
  const { width, height } = pageCells(board.tiles.length, board.title === null ? 0 : HEAD);
  const size = { width: width / POINTS, height: height / POINTS };
  const all: Buffer[] = [];
  for (const tile of board.tiles) {
    // while a tile becomes a picture, a chart for a browser may have been drawn
    measureBy(measure);
    all.push(
      await raster(tilePicture(tile, size, board, measure), 2)
        .flatten()
        .png({ compressionLevel: 6 })
        .toBuffer(),
    );
  }
  return all;
}

const answer = (message: DrawingAnswer) => parentPort?.postMessage(message);

parentPort?.on('message', ({ id, drawing }: DrawingRequest) => {
  draw(drawing).then(
    (bytes) => answer({ id, bytes }),
    (error: unknown) => answer({ id, error: error instanceof Error ? error.message : String(error) }),
  );
});
