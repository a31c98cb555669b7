import { measureBy, renderSvg } from '@tidemark/charts/svg';
import { workerData } from 'piscina';
import type { Sharp } from 'sharp';
import type { TilePicture } from './dashboard-pdf.js';
import { dashboardSvg, type Picture, tilePicture } from './dashboard-svg.js';
import type { DashboardSnapshot, Drawing, RendererFolders } from './drawing.js';
import { extractTexts } from './extract-texts.js';
import { openFaces, useFonts } from './faces.js';
import { HEAD, POINTS, pageCells } from './place-tiles.js';

// Runs in a worker thread: drawing would block the event loop of the service. A thread draws one thing at a time.

const { fontFolder, home }: RendererFolders = workerData;
await useFonts(fontFolder, home);
// sharp reads the configuration of fontconfig once, when it is loaded
const { default: sharp } = await import('sharp');
// each drawing is different: a cache of operations would only take memory
sharp.cache(false);
const faces = openFaces(fontFolder);
const { measure, measureForBrowser } = faces;

const raster = ({ svg }: Picture, scale: number): Sharp =>
  sharp(Buffer.from(faces.drawable(svg)), { density: 72 * scale, limitInputPixels: false, unlimited: true });

/** The function that piscina calls for each task; returns the bytes of a PNG, a PDF, or SVG text in UTF-8. */
export async function draw(drawing: Drawing): Promise<Uint8Array> {
  if (drawing.kind === 'svg') {
    const { insight, size } = drawing;
    measureBy(measureForBrowser);
    return Buffer.from(renderSvg(insight, { ...size, measure: measureForBrowser }));
  }
  if (drawing.kind === 'png') {
    measureBy(measure);
    return raster(dashboardSvg(drawing.dashboard, measure), 2).png({ compressionLevel: 6, adaptiveFiltering: false }).toBuffer();
  }
  // loaded on demand: pdfkit is large, and most threads draw no PDF
  const { dashboardPdf } = await import('./dashboard-pdf.js');
  return dashboardPdf(drawing.dashboard, await pictures(drawing.dashboard), drawing.created, faces);
}

async function pictures(dashboard: DashboardSnapshot): Promise<TilePicture[]> {
  const { width, height } = pageCells(dashboard.tiles.length, dashboard.title === null ? 0 : HEAD);
  const size = { width: width / POINTS, height: height / POINTS };
  measureBy(measure);
  const all: TilePicture[] = [];
  for (const tile of dashboard.tiles) {
    const picture = tilePicture(tile, size, dashboard, measure);
    const png = await raster(picture, 2).flatten().png({ compressionLevel: 6 }).toBuffer();
    all.push({ png, texts: extractTexts(picture.svg) });
  }
  return all;
}
