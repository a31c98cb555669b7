import { type ChartSize, canvasOf } from './canvas.js';
import type { Insight } from './insight.js';
import { insightMarks } from './kinds/insight-marks.js';
import { marksSvg } from './marks.js';
import { FONT } from './theme/theme.js';

/**
 * Draws an insight as an SVG document; runs in browsers and in Node. In the theme `page` it has the colors and the font of the page
 * around it and no inline styles, which a Content-Security-Policy may forbid.
 *
 * @example element.innerHTML = renderSvg(insight, { width: 600, height: 300, theme: 'page' })
 */
export function renderSvg(insight: Insight, size: ChartSize): string {
  const { width, height, theme, label, idPrefix = '' } = size;
  return marksSvg(insightMarks(insight, canvasOf(size)), {
    width,
    height,
    font: theme === 'page' ? null : FONT,
    label,
    idPrefix,
  });
}
