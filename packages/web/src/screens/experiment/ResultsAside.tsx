import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { InsightChart } from '../../chart/InsightChart.js';
import { type Experiment, type ExperimentResults, experimentResultsQuery } from '../../data/experiments.js';
import { Badge } from '../../ui/Badge.js';
import { Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';

/** Beside the results: who was exposed over time, how long it takes still, and the set-up in short. */
export function ResultsAside({ experiment }: { experiment: Experiment }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const { data } = useQuery(experimentResultsQuery(project, experiment.id));
  const { feature_flag_key: key, feature_flag: flag, start_date: start, end_date: end, created_by: by, holdout } = experiment;
  return (
    <>
      {data ? <Exposures results={data} zone={timezone} /> : <Skeleton rows={4} />}
      {data && <HowLong results={data} />}
      <section aria-labelledby="about">
        <h2 id="about" className="mb-2 text-13 font-strong">
          Set-up
        </h2>
        <dl className="grid grid-cols-[96px_minmax(0,1fr)] gap-y-2 text-13">
          <Fact name="Flag">
            {flag ? (
              <Link to={`/p/${project}/flags/${flag.id}` as string} className="font-mono text-12 text-accent-text wrap-anywhere">
                {key}
              </Link>
            ) : (
              <span className="font-mono text-12 wrap-anywhere">{key}</span>
            )}
          </Fact>
          {start && (
            <Fact name="Started">
              <Time at={start} zone={timezone} />
            </Fact>
          )}
          {end && (
            <Fact name="Ended">
              <Time at={end} zone={timezone} />
            </Fact>
          )}
          {data && (
            <Fact name="Method">
              {`${data.method === 'bayesian' ? 'Chance to win' : 'p-value'}, ${Math.round(data.confidence_level * 100)}% interval`}
            </Fact>
          )}
          <Fact name="Counted from">{exposureText(experiment)}</Fact>
          {holdout && <Fact name="Left out">{`${String(holdout['exclusion_percentage'])}% get no variant`}</Fact>}
          {by && <Fact name="Made by">{by.first_name || by.email}</Fact>}
        </dl>
      </section>
    </>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-text-2">{name}</dt>
    <dd className="min-w-0 wrap-anywhere">{children}</dd>
  </>
);

function exposureText({ exposure_criteria: criteria }: Experiment): string {
  const { event } = (criteria['exposure_config'] ?? {}) as { event?: string };
  return !event || event === '$feature_flag_called' ? 'the first read of the flag' : `the first “${event}”`;
}

function Exposures({ results: { exposures, baseline }, zone }: { results: ExperimentResults; zone: string }) {
  const { total, multiple, sample_ratio: ratio, daily, variants } = exposures;
  return (
    <section aria-labelledby="exposed">
      <div className="flex flex-wrap items-center gap-2">
        <h2 id="exposed" className="flex-1 text-13 font-strong">
          Exposed people
        </h2>
        {ratio &&
          (ratio.mismatch ? (
            <Badge kind="bad" icon={<TriangleAlert size={12} aria-hidden />}>
              Uneven split
            </Badge>
          ) : (
            <Badge kind="good" icon={<Check size={12} aria-hidden />}>
              Split as planned
            </Badge>
          ))}
      </div>
      <p className="tnum text-28 font-strong">{total.toLocaleString('en')}</p>
      <p className="text-12 text-text-2">
        {Object.entries(variants)
          .map(([key, count]) => `${key} ${count.toLocaleString('en')}`)
          .join(', ')}
      </p>
      {multiple > 0 && (
        <p className="text-12 text-text-2">{`${multiple.toLocaleString('en')} met several variants and are left out.`}</p>
      )}
      {total > 0 && (
        <div className="mt-2">
          <InsightChart query={OVER_TIME} answer={{ results: cumulated(daily, baseline), timezone: zone }} height={160} />
        </div>
      )}
    </section>
  );
}

const OVER_TIME = { kind: 'TrendsQuery', interval: 'day', trendsFilter: { display: 'ActionsLineGraph' } };

/** The people exposed until each day, as the answer to a trend: variants get new people on different days. */
function cumulated(daily: ExperimentResults['exposures']['daily'], baseline: string) {
  const days = [...new Set(daily.flatMap((one) => one.days))].sort();
  return daily
    .toSorted((a, b) => Number(b.variant === baseline) - Number(a.variant === baseline))
    .map(({ variant, days: own, counts }, order) => {
      const byDay = new Map(own.map((day, index) => [day, counts[index] ?? 0]));
      let sum = 0;
      const data = days.map((day) => {
        sum += byDay.get(day) ?? 0;
        return sum;
      });
      return {
        action: { id: variant, name: variant, order, type: 'events' },
        label: variant,
        days,
        labels: days,
        data,
        count: sum,
      };
    });
}

const DAY_MS = 86_400_000;

function HowLong({ results }: { results: ExperimentResults }) {
  const { metrics, metrics_secondary: others, exposures, date_from: from, date_to: to } = results;
  const time = [...metrics, ...others].find(({ running_time }) => running_time?.recommended_sample_size != null)?.running_time;
  const size = time?.recommended_sample_size;
  if (!time || size == null) return null;
  const share = Math.min(100, (exposures.total / Math.max(1, size)) * 100);
  const { remaining_days: left, exposures_per_day: perDay } = time;
  const days = left === null ? null : Math.ceil(left);
  // the rate of the first minutes says nothing about days
  const isRateKnown = Date.parse(to) - Date.parse(from) >= DAY_MS;
  return (
    <section aria-labelledby="how-long">
      <h2 id="how-long" className="text-13 font-strong">
        How long still?
      </h2>
      <p className="mt-1 text-13 text-text-2">
        {`To find a change of ±${time.minimum_detectable_effect}% with 80% power: ${size.toLocaleString('en')} people.`}
        {share >= 100
          ? ' They are there.'
          : !isRateKnown
            ? ' How many days that takes is known after the first day.'
            : days !== null && perDay
              ? ` At ${Math.round(perDay).toLocaleString('en')} a day that is ${days.toLocaleString('en')} more ${days === 1 ? 'day' : 'days'}.`
              : ''}
      </p>
      <span aria-hidden className="mt-2 block h-1.5 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full bg-accent" style={{ width: `${share}%` }} />
      </span>
    </section>
  );
}
