import {
  annotate,
  chartData,
  chartSummary,
  describeInsight,
  emptyTexts,
  type Goal,
  type Happening,
  type Insight,
  isEmpty,
  renderSvg,
  wallClock,
} from '@tidemark/charts';
import { makeInteractive } from '@tidemark/charts/interactive';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { DateRange } from '../address/date-range.js';
import type { Answer } from '../data/answer.js';
import { classNames } from '../ui/class-names.js';
import { AnnotationList } from './AnnotationList.js';
import { NothingFound } from './NothingFound.js';

export interface InsightChartProps {
  /** The query of the insight, or its node. */
  query: unknown;
  answer: Pick<Answer, 'results' | 'columns' | 'timezone'>;
  /** Whether a newer answer is being computed: the picture pales. */
  isStale?: boolean;
  /** A click on a part of the chart, or Enter: the name of its point, as `query/people-behind.ts` reads it. */
  onPoint?: (point: string) => void;
  /** What happened: marked by letters, with a list below the chart. */
  happenings?: readonly Happening[];
  /** Lines across a chart over time. */
  goals?: readonly Goal[];
  /** Height in pixels; default: that of the element around it. */
  height?: number;
  /** Dates that replace those of the query; null: none do. */
  range?: DateRange | null;
  /** Shows other dates. Absent: the dates cannot be changed here. */
  onRange?: (range: DateRange) => void;
}

/** Draws the answer to a question, at the size of the element, with the numbers of the point under the pointer. */
export function InsightChart({
  query,
  answer,
  isStale = false,
  onPoint,
  happenings,
  goals,
  height,
  range = null,
  onRange,
}: InsightChartProps) {
  const [box, size] = useSize();
  const idPrefix = `${useId().replaceAll(/\W/g, '')}-`;
  const insight = useMemo(() => withGoals(describe(query, answer, happenings), goals), [query, answer, happenings, goals]);
  const drawnHeight = height ?? size.height;
  const svg = useMemo(
    () =>
      size.width > 0 && drawnHeight > 0 && !isEmpty(insight)
        ? renderSvg(insight, {
            width: size.width,
            height: drawnHeight,
            theme: 'page',
            idPrefix,
            label: `Chart: ${chartSummary(insight)}`,
            measure: measureText,
            hasNotes: false,
          })
        : '',
    [insight, size.width, drawnHeight, idPrefix],
  );
  const drawing = useRef<HTMLDivElement>(null);
  const point = useRef(onPoint);
  point.current = onPoint;
  const hasPoints = onPoint !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new picture has new marks
  useEffect(() => {
    if (!drawing.current) return;
    const ending = new AbortController();
    const options = {
      signal: ending.signal,
      ...(hasPoints && {
        onPoint: (index: number, series: number | null) =>
          point.current?.(series === null ? String(index) : `${index}.${series}`),
        onMark: (name: string) => point.current?.(name),
      }),
    };
    makeInteractive(drawing.current, chartData(insight), options);
    return () => ending.abort();
  }, [svg, hasPoints]);
  if (isEmpty(insight)) {
    const place = height === undefined ? 'tile' : 'chart';
    return <NothingFound {...{ query, range, onRange, place }} texts={emptyTexts(insight)} zone={answer.timezone} />;
  }
  return (
    <div
      aria-busy={isStale}
      ref={box}
      className={classNames(
        'relative min-h-0 min-w-0 transition-opacity',
        height === undefined && 'h-full [&_.switches]:hidden!',
        isStale && 'opacity-45',
      )}
      style={height === undefined ? undefined : { minHeight: height }}
    >
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: drawn by our renderer, which escapes every text */}
      <div ref={drawing} key={svg} className="chart relative [&_svg]:block" dangerouslySetInnerHTML={{ __html: svg }} />
      {svg && <AnnotationList insight={insight} />}
    </div>
  );
}

function describe(query: unknown, answer: InsightChartProps['answer'], happenings: readonly Happening[] = []): Insight {
  const { timezone } = answer;
  const insight = describeInsight(query, answer, { now: Date.now(), timezone });
  return happenings.length === 0 ? insight : annotate(insight, happenings, (now) => wallClock({ now, timezone }));
}

/** The chart with lines across it, if it is one over time. */
const withGoals = (insight: Insight, goals: readonly Goal[] = []): Insight =>
  insight.kind === 'series' && goals.length > 0 ? { ...insight, goals: [...(insight.goals ?? []), ...goals] } : insight;

/** The size of an element's content, followed as it changes. */
function useSize(): [(element: HTMLElement | null) => void, { width: number; height: number }] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      const box = entry?.contentRect;
      if (box) setSize({ width: Math.floor(box.width), height: Math.floor(box.height) });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, size];
}

let canvas: CanvasRenderingContext2D | null | undefined;

/** The width of a text in the app's font, in pixels. */
function measureText(text: string, size: number): number {
  canvas ??= document.createElement('canvas').getContext('2d');
  if (!canvas) return text.length * size * 0.6;
  canvas.font = `${size}px "Inter Variable", sans-serif`;
  return canvas.measureText(text).width;
}
