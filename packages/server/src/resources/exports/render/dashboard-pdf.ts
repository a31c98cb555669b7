import type { Measure } from '@tidemark/charts';
import pdfkit from 'pdfkit';
import { pageColor } from './dashboard-svg.js';
import { documentPages, POINTS } from './document-pages.js';
import type { DashboardSnapshot, Paper } from './drawing.js';
import { type Faces, SHIPPED_FONT } from './faces.js';
import { registerFonts } from './pdf-text.js';
import { drawSvg } from './svg-pdf.js';

/**
 * A dashboard or an insight as a PDF: charts are vectors, texts are text, and tags tell screen readers which text is a title, and which
 * shapes are a chart.
 */
export function dashboardPdf(dashboard: DashboardSnapshot, paper: Paper, faces: Faces, measure: Measure): Promise<Buffer> {
  const { width, height, pages } = documentPages(dashboard, paper, measure);
  const { caption } = dashboard;
  const document = new pdfkit({
    size: [width * POINTS, height * POINTS],
    margin: 0,
    autoFirstPage: false,
    font: SHIPPED_FONT,
    pdfVersion: '1.7',
    tagged: true,
    lang: 'en',
    displayTitle: true,
    info: {
      Title: (dashboard.title ?? dashboard.tiles[0]?.title) || 'Export',
      Producer: 'Tidemark',
      Creator: 'Tidemark',
      ...(caption ? { CreationDate: new Date(caption.madeAt) } : {}),
      ...(caption?.project ? { Author: caption.project } : {}),
    },
  });
  const chunks: Buffer[] = [];
  const whole = new Promise<Buffer>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
  registerFonts(document, faces);
  const structure = document.struct('Document');
  document.addStructure(structure);
  for (const { parts, frame } of pages) {
    document.addPage();
    document.scale(POINTS);
    // screen readers pass over artifacts: the background, the frame of each page, the cards of tiles
    document.markContent('Artifact', { type: 'Page' });
    document.rect(0, 0, width, height).fill(pageColor(dashboard));
    document.endMarkedContent();
    for (const { tag, alt, svg } of parts) {
      if (svg === '') continue;
      if (tag === null) {
        document.markContent('Artifact', { type: 'Layout' });
        drawSvg(document, svg, faces);
        document.endMarkedContent();
      } else {
        const options = alt === undefined ? {} : { alt };
        structure.add(document.struct(tag, options, () => drawSvg(document, svg, faces)));
      }
    }
    document.markContent('Artifact', { type: 'Pagination' });
    drawSvg(document, frame, faces);
    document.endMarkedContent();
  }
  structure.end();
  document.end();
  return whole;
}
