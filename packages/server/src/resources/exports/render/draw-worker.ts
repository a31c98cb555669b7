import { renderSvg } from '@tidemark/charts';
import { workerData } from 'piscina';
import { dashboardSvg } from './dashboard-svg.js';
import type { Drawing, DrawnFile, RendererFolders } from './drawing.js';
import { openFaces, useFonts } from './faces.js';
import { previewSvg } from './preview-svg.js';

// Runs in a worker thread: drawing would block the event loop of the service. A thread draws one thing at a time.

const { fontFolder, machineFolders = [], home }: RendererFolders = workerData;
const faces = openFaces(fontFolder, machineFolders);
const { measure, measureForBrowser } = faces;

/** The function that piscina calls for each task; returns a PNG, a PDF, or SVG text in UTF-8. */
export async function draw(drawing: Drawing): Promise<DrawnFile> {
  // what an earlier drawing lacked, which may have failed
  faces.takeMissing();
  const bytes = await bytesOf(drawing);
  return { bytes, missing: faces.takeMissing() };
}

async function bytesOf(drawing: Drawing): Promise<Uint8Array> {
  if (drawing.kind === 'svg') {
    const { insight, size } = drawing;
    return Buffer.from(renderSvg(insight, { ...size, measure: measureForBrowser }));
  }
  if (drawing.kind === 'png') return png(dashboardSvg(drawing.dashboard, measure).svg, 2);
  if (drawing.kind === 'preview') return png(previewSvg(drawing.dashboard, drawing.hasMark, measure).svg, 1);
  // loaded on demand: pdfkit is large, and most threads draw no PDF
  const { dashboardPdf } = await import('./dashboard-pdf.js');
  return dashboardPdf(drawing.dashboard, drawing.paper, faces, measure);
}

/** The image, `scale` times as large as its SVG. */
async function png(svg: string, scale: number): Promise<Uint8Array> {
  // not at the start of the thread: a full disk would fail the thread, and drawings without images
  await useFonts(fontFolder, machineFolders, home);
  // on demand: charts of pages need no images; it reads the configuration of fontconfig once, when it is loaded
  const { default: sharp } = await import('sharp');
  // each drawing is different: a cache of operations would only take memory
  sharp.cache(false);
  const image = sharp(Buffer.from(faces.drawable(svg)), { density: 72 * scale, limitInputPixels: false, unlimited: true });
  return image.png({ compressionLevel: 6, adaptiveFiltering: false }).toBuffer();
}
