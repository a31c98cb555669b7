// the bundled build of ECharts loads in a tenth of the time of its many modules
import { init, setPlatformAPI } from 'echarts/dist/echarts.esm.min.mjs';
import { type ChartSize, canvasOf, drawChart } from './axes/chart-option.js';
import type { Insight } from './insight.js';
import { insightMarks } from './kinds/insight-marks.js';
import { markSvg, marksSvg } from './kinds/marks.js';
import type { Measure } from './text/measure.js';
import { FONT } from './theme/theme.js';

/** Renders an insight as an SVG document, without a browser. */
export function renderSvg(insight: Insight, size: ChartSize): string {
  const { width, height } = size;
  const marks = insightMarks(insight, canvasOf(size));
  if (marks || insight.kind !== 'series') return marksSvg(marks ?? [], { width, height, font: FONT });
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    const { option, titles } = drawChart(insight, size);
    chart.setOption(option);
    return withoutHandles(chart.renderToSVGString()).replace(/<\/svg>$/, () => `${titles.map(markSvg).join('')}</svg>`);
  } finally {
    chart.dispose();
  }
}

/** Drops the attributes by which scripts of ECharts find their marks: a third of a chart with many bars. */
const withoutHandles = (svg: string): string => svg.replace(/ (ecmeta_\w+|pointer-events)="[^"]*"/g, '');

/** Makes ECharts measure text by the same function. */
export function measureBy(measure: Measure): void {
  setPlatformAPI({
    measureText: (text, font) => ({ width: measure(text, Number.parseFloat(/([\d.]+)px/.exec(font ?? '')?.[1] ?? '12')) }),
  });
}
