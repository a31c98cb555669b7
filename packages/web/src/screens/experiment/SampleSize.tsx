import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { baselineQuery, type Plan, runningTimeQuery } from '../../data/experiments.js';
import { TextField } from '../../ui/TextField.js';
import type { ExperimentDraft } from './draft.js';

export interface SampleSizeProps {
  draft: ExperimentDraft;
  isReadOnly: boolean;
  edit: (change: Partial<ExperimentDraft>) => void;
}

/** How long the experiment will take: by what the first metric is like now, the change to detect, and the people a day. */
export function SampleSize({ draft, isReadOnly, edit }: SampleSizeProps) {
  const project = useProjectId();
  const metric = draft.metrics.find(({ role }) => role === 'primary') ?? draft.metrics[0];
  const events = metric?.events.at(-1);
  const isShare = metric?.type === 'funnel' || events?.math === 'dau';
  // only counts can be measured before there is an experiment: other numbers are typed
  const isMeasurable =
    metric !== undefined && metric.type !== 'ratio' && events?.action === null && (isShare || events.math === 'total');
  const baseline = useQuery({ ...baselineQuery(project, events?.event ?? null), enabled: isMeasurable });
  const measured = isMeasurable && baseline.data && baseline.data.people > 0 ? baseline.data : null;
  const [typed, setTyped] = useState<Record<'value' | 'deviation' | 'perDay', string | null>>({
    value: null,
    deviation: null,
    perDay: null,
  });
  const value = typed.value ?? shown(measured && (isShare ? measured.share * 100 : measured.mean));
  const deviation = typed.deviation ?? shown(measured?.deviation);
  const perDay = typed.perDay ?? shown(measured && Math.round(measured.people / 7));
  const number = (text: string): number | null =>
    text.trim() === '' || !Number.isFinite(Number(text)) || Number(text) < 0 ? null : Number(text);
  const known = number(value);
  const plan: Plan | null =
    metric === undefined ||
    metric.type === 'ratio' ||
    known === null ||
    (isShare && known > 100) ||
    (!isShare && number(deviation) === null)
      ? null
      : {
          metric_type: isShare ? 'funnel' : 'mean',
          baseline: isShare ? known / 100 : known,
          standard_deviation: isShare ? null : number(deviation),
          goal: metric.goal,
          minimum_detectable_effect: draft.effect,
          confidence_level: draft.level,
          variants: Math.min(20, Math.max(2, draft.variants.length)),
          exposures_per_day: number(perDay),
        };
  const time = useQuery(runningTimeQuery(project, draft.effect >= 0.01 && draft.effect <= 1000 ? plan : null));
  const size = plan ? time.data?.recommended_sample_size : null;
  const exactDays = plan ? time.data?.recommended_days : null;
  const days = exactDays == null ? null : Math.ceil(exactDays);
  return (
    <section aria-labelledby="size" className="grid gap-3">
      <h2 id="size" className="text-13 font-strong">
        How many people it needs
      </h2>
      <TextField
        label="Smallest change worth detecting, in percent"
        inputMode="decimal"
        isReadOnly={isReadOnly}
        value={String(draft.effect)}
        onChange={(text) => /^\d{0,4}(\.\d{0,2})?$/.test(text) && edit({ effect: Number(text) })}
        help="Relative: 20 finds a change from 10% to 12%"
      />
      {metric === undefined && <p className="text-12 text-text-2">Add a metric first: the size depends on it.</p>}
      {metric?.type === 'ratio' && (
        <p className="text-12 text-text-2">A ratio is estimated from the results, once there are some.</p>
      )}
      {metric !== undefined && metric.type !== 'ratio' && (
        <>
          <TextField
            label={isShare ? 'People who do it now, in percent' : 'Number a person now'}
            inputMode="decimal"
            value={value}
            onChange={(text) => setTyped({ ...typed, value: text })}
            help={
              measured && typed.value === null
                ? `Measured: ${measured.people.toLocaleString('en')} people of the last 7 days`
                : undefined
            }
          />
          {!isShare && (
            <TextField
              label="Standard deviation of it"
              inputMode="decimal"
              value={deviation}
              onChange={(text) => setTyped({ ...typed, deviation: text })}
            />
          )}
          <TextField
            label="New people a day"
            inputMode="numeric"
            value={perDay}
            onChange={(text) => setTyped({ ...typed, perDay: text })}
          />
          <p aria-live="polite" className="text-13">
            {time.error && plan ? (
              <span className="text-bad">{time.error.message}</span>
            ) : size == null ? (
              <span className="text-text-2">
                {plan ? 'No number of people finds this change.' : 'Fill in what it is like now, and the size follows.'}
              </span>
            ) : (
              <>
                <b className="tnum block text-28 font-strong">{size.toLocaleString('en')}</b>
                <span className="text-text-2">
                  {`people in all variants find a change of ±${draft.effect}% with 80% power`}
                  {days != null && `, which takes ${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'}`}.
                </span>
              </>
            )}
          </p>
        </>
      )}
    </section>
  );
}

/** A measured number as a text to edit; nothing: an empty text. */
const shown = (value: number | null | undefined): string => (value == null ? '' : String(Number(value.toPrecision(4))));
