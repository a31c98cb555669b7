import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleHelp, Hourglass, TriangleAlert } from 'lucide-react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { AnswerTable } from '../../chart/AnswerTable.js';
import { InsightChart } from '../../chart/InsightChart.js';
import { conclusionText, guardsOf } from '../../data/experiment-days.js';
import { type Experiment, type ExperimentResults, experimentResultsQuery, type MetricResult } from '../../data/experiments.js';
import { metricName, type Verdict, type VerdictKind, verdictOf } from '../../query/verdict.js';
import { Badge } from '../../ui/Badge.js';
import { Card } from '../../ui/Card.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { draftOf, type MetricDraft } from './draft.js';
import { ExperimentInsightMenu } from './ExperimentInsightMenu.js';
import { MetricsPicture } from './MetricsPicture.js';
import { metricText } from './metric-text.js';

/** What came of an experiment: the verdict in words, a picture for each primary metric, one for the others, one for the guards. */
export function Results({ experiment }: { experiment: Experiment }) {
  const project = useProjectId();
  const { id, status, conclusion, conclusion_comment: comment, shipped_variant: shipped } = experiment;
  const results = useQuery({ ...experimentResultsQuery(project, id), enabled: status !== 'draft' });
  if (status === 'draft')
    return (
      <Card>
        <Message icon={<Hourglass size={16} aria-hidden />} title="No results before the launch">
          Set the metrics, and launch the experiment. People count from then on, when your code reads the flag.
        </Message>
      </Card>
    );
  if (results.isPending)
    return (
      <Card>
        <Skeleton rows={6} />
      </Card>
    );
  if (results.error)
    return (
      <Card>
        <Fault title="The results could not be computed" detail={results.error.message} onRetry={() => void results.refetch()} />
      </Card>
    );
  const { data } = results;
  const guards = guardsOf(experiment);
  const drafts = new Map(draftOf(experiment).metrics.map((one) => [String(one.rest['uuid']), one]));
  const secondary = data.metrics_secondary.filter(({ uuid }) => uuid === null || !guards.has(uuid));
  const guarded = data.metrics_secondary.filter(({ uuid }) => uuid !== null && guards.has(uuid));
  const shared = { experiment, results: data, definitions: drafts };
  const show = (metric: MetricResult, badge: string) => (
    <MetricPicture
      key={metric.uuid}
      experiment={experiment}
      results={data}
      metric={metric}
      definition={drafts.get(metric.uuid ?? '') ?? null}
      badge={badge}
    />
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <VerdictCard verdict={verdictOf(data, guards)} />
      {(conclusion || shipped || comment) && (
        <Card className="p-4">
          <h2 className="text-14 font-strong">
            {[conclusionText(conclusion), shipped && `“${shipped}” was shipped to everybody`].filter(Boolean).join(': ') ||
              'Conclusion'}
          </h2>
          {comment && <p className="mt-1 text-13 whitespace-pre-line text-text-2 wrap-anywhere">{comment}</p>}
        </Card>
      )}
      {data.metrics.map((metric, index) => show(metric, index === 0 ? 'Main goal' : 'Primary'))}
      {secondary.length > 0 && <MetricsPicture title="Other metrics" metrics={secondary} {...shared} />}
      {guarded.length > 0 && <MetricsPicture title="Must not get worse" metrics={guarded} {...shared} />}
    </div>
  );
}

const ICONS: Record<VerdictKind, typeof CircleCheck> = {
  good: CircleCheck,
  bad: TriangleAlert,
  none: CircleHelp,
  early: Hourglass,
  fault: CircleAlert,
};
const TONES: Record<VerdictKind, string> = {
  good: 'text-good',
  bad: 'text-bad',
  none: 'text-text-3',
  early: 'text-text-3',
  fault: 'text-bad',
};

function VerdictCard({ verdict: { kind, text, reasons } }: { verdict: Verdict }) {
  const Icon = ICONS[kind];
  return (
    <Card className="flex items-start gap-3 p-4">
      <Icon size={20} aria-hidden className={`mt-0.5 shrink-0 ${TONES[kind]}`} />
      <div className="min-w-0">
        <h2 className="text-16 font-strong wrap-anywhere">{text}</h2>
        {reasons.map((reason) => (
          <p key={reason} className="mt-1 max-w-prose text-13 text-text-2 wrap-anywhere">
            {reason}
          </p>
        ))}
      </div>
    </Card>
  );
}

interface MetricPictureProps {
  experiment: Experiment;
  results: ExperimentResults;
  metric: MetricResult;
  definition: MetricDraft | null;
  badge: string;
}

/** Head, legend and axis of the picture, and a row for each variant; in pixels. */
const heightOf = (variants: number): number => 64 + variants * 42;

/** The change of each variant as a dot on its interval. */
function MetricPicture({ experiment, results, metric, definition, badge }: MetricPictureProps) {
  const { timezone } = useProject();
  const query = { kind: 'ExperimentQuery', experiment_id: experiment.id, metric_uuid: metric.uuid };
  const answer = { results: { ...results, metrics: [metric], metrics_secondary: [] }, timezone };
  const name = metricName(metric);
  const { mismatch = false } = results.exposures.sample_ratio ?? {};
  return (
    <Card className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 className="text-14 font-strong wrap-anywhere">{name}</h3>
        <Badge kind={badge === 'Main goal' ? 'accent' : 'neutral'}>{badge}</Badge>
        <span className="min-w-0 flex-1 text-12 text-text-2 wrap-anywhere">
          {[definition && definition.name !== '' && metricText(definition), metric.goal === 'decrease' && 'Less is better']
            .filter(Boolean)
            .join('. ')}
        </span>
        {metric.uuid !== null && (
          <ExperimentInsightMenu experiment={experiment} metrics={{ metric_uuid: metric.uuid }} name={name} />
        )}
      </div>
      {metric.error ? (
        <p className="mt-2 text-13 text-bad wrap-anywhere">{metric.error}</p>
      ) : (
        <>
          <div className="mt-2">
            <InsightChart query={query} answer={answer} height={heightOf(metric.variants.length) + (mismatch ? 48 : 0)} />
          </div>
          <details className="mt-1">
            <summary className="cursor-pointer text-12 text-text-2">Numbers</summary>
            <AnswerTable query={query} answer={answer} label={`Numbers of ${name}`} />
          </details>
        </>
      )}
    </Card>
  );
}
