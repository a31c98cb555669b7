// the whole in one file: it is loaded in a tenth of the time that its many parts take
import { init, setPlatformAPI } from 'echarts/dist/echarts.esm.min.mjs';
import { type ChartSize, chartOption } from './chart-option.js';
import type { Insight } from './insight.js';
import type { Measure } from './measure.js';

/** An insight as an SVG document, without a browser. */
export function renderSvg(insight: Insight, size: ChartSize): string {
  const { width, height } = size;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(chartOption(insight, size));
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

/** From now on the renderer measures texts by this, too. */
export function measureBy(measure: Measure): void {
  setPlatformAPI({
    measureText: (text, font) => ({ width: measure(text, Number.parseFloat(/([\d.]+)px/.exec(font ?? '')?.[1] ?? '12')) }),
  });
}
