import { Plus } from 'lucide-react';
import { Button } from '../../ui/Button.js';
import { type MetricDraft, newEvents, nextId } from './draft.js';
import { MetricEditor } from './MetricEditor.js';
import type { SetupEditorProps } from './setup-props.js';

/** What the experiment measures. */
export function MetricsSetup({ draft, faults, isReadOnly, edit }: SetupEditorProps) {
  const { metrics } = draft;
  const change = (id: number, next: Partial<MetricDraft>) =>
    edit({ metrics: metrics.map((one) => (one.id === id ? { ...one, ...next } : one)) });
  const add = () => {
    const role = metrics.some((one) => one.role === 'primary') ? 'secondary' : 'primary';
    const fresh: MetricDraft = {
      id: nextId(metrics),
      role,
      type: 'funnel',
      name: '',
      goal: 'increase',
      events: [newEvents('$pageview')],
      window: null,
      unit: 'day',
      rest: {},
    };
    edit({ metrics: [...metrics, fresh] });
  };
  return (
    <section aria-labelledby="metrics" className="grid gap-2">
      <h2 id="metrics" className="text-14 font-strong">
        Metrics
      </h2>
      {metrics.length > 0 && (
        <div className="divide-y divide-border rounded-l border border-border bg-surface shadow-card">
          {metrics.map((metric, index) => (
            <MetricEditor
              key={metric.id}
              metric={metric}
              number={index + 1}
              fault={faults.metrics.get(metric.id) ?? null}
              isReadOnly={isReadOnly}
              onChange={(next) => change(metric.id, next)}
              onRemove={() => edit({ metrics: metrics.filter(({ id }) => id !== metric.id) })}
            />
          ))}
        </div>
      )}
      {metrics.length === 0 && (
        <p className="text-12 text-text-2">
          {isReadOnly
            ? 'No metric yet.'
            : 'A metric says what a better variant is: more people who pay, more revenue a person, fewer errors a page.'}
        </p>
      )}
      {!isReadOnly && metrics.length < 20 && (
        <div>
          <Button icon={<Plus size={14} aria-hidden />} onPress={add}>
            Add metric
          </Button>
        </div>
      )}
    </section>
  );
}
