import { useProject } from '../../app/project-context.js';
import { AnswerTable } from '../../chart/AnswerTable.js';
import { InsightChart } from '../../chart/InsightChart.js';
import type { Experiment, ExperimentResults, MetricResult } from '../../data/experiments.js';
import { metricName } from '../../query/verdict.js';
import { Card } from '../../ui/Card.js';
import type { MetricDraft } from './draft.js';
import { ExperimentInsightMenu } from './ExperimentInsightMenu.js';
import { metricText } from './metric-text.js';

export interface MetricsPictureProps {
  title: string;
  experiment: Experiment;
  results: ExperimentResults;
  /** Never empty. */
  metrics: readonly MetricResult[];
  /** Definitions of metrics by their uuid. */
  definitions: ReadonlyMap<string, MetricDraft>;
}

/** Head and axis of the picture, and a row for each metric and variant; in pixels. */
const heightOf = (rows: number): number => 64 + rows * 42;

/** Several metrics in one picture: a row for each with its change as a dot on its interval, all on one axis. */
export function MetricsPicture({ title, experiment, results, metrics, definitions }: MetricsPictureProps) {
  const { timezone } = useProject();
  const uuids = metrics.flatMap(({ uuid }) => (uuid === null ? [] : [uuid]));
  const query = { kind: 'ExperimentQuery', experiment_id: experiment.id, metric_uuids: uuids };
  const answer = { results: { ...results, metrics: [], metrics_secondary: metrics }, timezone };
  const rows = metrics.reduce((sum, { variants }) => sum + Math.max(1, variants.length - 1), 0);
  const { mismatch = false } = results.exposures.sample_ratio ?? {};
  return (
    <Card className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 className="min-w-0 flex-1 text-14 font-strong">{title}</h3>
        {uuids.length > 0 && <ExperimentInsightMenu experiment={experiment} metrics={{ metric_uuids: uuids }} name={title} />}
      </div>
      <div className="mt-2">
        <InsightChart query={query} answer={answer} height={heightOf(rows) + (mismatch ? 48 : 0)} />
      </div>
      <ul className="mt-1 grid gap-0.5 text-12 text-text-2">
        {metrics.map((metric) => {
          const definition = definitions.get(metric.uuid ?? '');
          const words = [definition && metricText(definition), metric.goal === 'decrease' && 'Less is better'];
          const about = words.filter(Boolean).join('. ');
          return (
            about && (
              <li key={metric.uuid} className="wrap-anywhere">
                {metricName(metric)}: {about}
              </li>
            )
          );
        })}
      </ul>
      <details className="mt-1">
        <summary className="cursor-pointer text-12 text-text-2">Numbers</summary>
        <AnswerTable query={query} answer={answer} label={`Numbers of ${title}`} />
      </details>
    </Card>
  );
}
