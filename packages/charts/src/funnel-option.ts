import type { Canvas, ChartOption } from './chart-option.js';
import { formatNumber, percent } from './format-number.js';
import type { Insight, Step } from './insight.js';
import { legendOf } from './legend.js';
import { beforeMore, type Measure, wrap } from './measure.js';
import { WITH_LABELS } from './series-option.js';

/** ECharts options of a funnel: a bar per step, as a share of the first step. Breakdown values stand side by side. */
export function funnelOption({ groups }: Extract<Insight, { kind: 'funnel' }>, canvas: Canvas): ChartOption {
  const { width, theme, measure } = canvas;
  const steps = groups[0]?.steps ?? [];
  const entries = groups.map(({ breakdown, steps: own }, i) => ({
    name: `${beforeMore(breakdown ?? 'All')}: ${percent(
      shareOf(
        own.findLast(({ isOptional }) => !isOptional),
        own[0],
      ),
    )}`,
    color: theme.palette[i % theme.palette.length] ?? '',
  }));
  const legend = legendOf(entries, canvas);
  const room = Math.max(24, (width - 70) / Math.max(steps.length, 1) - 10);
  const barRoom = groups.length === 1 ? room : Math.min(90, (room * 0.75) / groups.length) - 6;
  return {
    grid: { left: 12, right: 16, top: 30, bottom: legend.height + 8, ...WITH_LABELS },
    xAxis: {
      type: 'category',
      data: steps.map((_, i) => String(i)),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: theme.border } },
      axisLabel: {
        color: theme.text,
        fontSize: 12,
        interval: 0,
        lineHeight: 17,
        formatter: (i: string) => labelOf(steps[Number(i)], Number(i), room, measure),
      },
    },
    yAxis: {
      type: 'value',
      min: 0,
      max: 1,
      axisLabel: { color: theme.muted, fontSize: 12, formatter: (value: number) => percent(value).replace('.0%', '%') },
      splitLine: { lineStyle: { color: theme.grid } },
    },
    graphic: legend.graphic,
    series: groups.map((group, i) => {
      return {
        type: 'bar',
        name: entries[i]?.name,
        barMaxWidth: 90,
        itemStyle: { color: entries[i]?.color, borderRadius: [3, 3, 0, 0] },
        data: group.steps.map((step) => {
          const share = shareOf(step, group.steps[0]);
          const full = `${formatNumber(step.count)} (${percent(share)})`;
          const label = [full, percent(share)].find((text) => measure(text, 12) <= barRoom);
          return {
            value: share,
            label: { show: label !== undefined, position: 'top', color: theme.text, fontSize: 12, formatter: () => label ?? '' },
          };
        }),
      };
    }),
  };
}

const shareOf = (step: Step | undefined, first: Step | undefined): number =>
  step && first?.count ? step.count / first.count : 0;

function labelOf(step: Step | undefined, index: number, room: number, measure: Measure): string {
  const name = step?.customName ?? step?.name ?? '';
  return wrap(`${index + 1}. ${name || 'All events'}${step?.isOptional ? ' (optional)' : ''}`, room, 12, 2, measure).join('\n');
}
