import { parseDateTime, toZoned } from '@internationalized/date';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import type { Flag } from '../../data/flags.js';
import {
  cancelChange,
  type ScheduledChange,
  type ScheduledPayload,
  scheduleChange,
  scheduledChangesQuery,
} from '../../data/flags-history.js';
import { FilterChips } from '../../filter/FilterChips.js';
import { Badge } from '../../ui/Badge.js';
import { Form } from '../../ui/Form.js';
import { IconButton } from '../../ui/IconButton.js';
import { Segmented } from '../../ui/Segmented.js';
import { Slider } from '../../ui/Slider.js';
import { Fault, Skeleton } from '../../ui/states.js';
import { TextField } from '../../ui/TextField.js';
import { Time } from '../../ui/Time.js';
import { toast } from '../../ui/toast.js';
import { type Condition, draftOf, groupOf, type Variant, variantFields } from './draft.js';
import { scheduledText } from './scheduled-text.js';

/** What happens to a flag by itself, and what did. */
export function Schedule({ flag }: { flag: Flag }) {
  const project = useProjectId();
  const list = useQuery(scheduledChangesQuery(project, flag.id));
  if (list.isPending) return <Skeleton rows={4} />;
  if (list.error)
    return <Fault title="The schedule could not be loaded" detail={list.error.message} onRetry={() => void list.refetch()} />;
  const pending = list.data.results.filter(({ executed_at }) => executed_at === null);
  const past = list.data.results.filter(({ executed_at }) => executed_at !== null);
  return (
    <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-6">
      <section aria-labelledby="pending">
        <h2 id="pending" className="mb-2 text-14 font-strong">
          Will happen
        </h2>
        {pending.length === 0 ? (
          <p className="text-13 text-text-2">Nothing is scheduled for this flag.</p>
        ) : (
          <Changes changes={pending.toSorted((a, b) => a.scheduled_at.localeCompare(b.scheduled_at))} flag={flag} />
        )}
      </section>
      {flag.can_edit && <NewChange flag={flag} />}
      {past.length > 0 && (
        <section aria-labelledby="past">
          <h2 id="past" className="mb-2 text-14 font-strong">
            Happened
          </h2>
          <Changes changes={past.toSorted((a, b) => b.scheduled_at.localeCompare(a.scheduled_at))} flag={flag} />
        </section>
      )}
    </div>
  );
}

function Changes({ changes, flag }: { changes: readonly ScheduledChange[]; flag: Flag }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: scheduledChangesQuery(project, flag.id).queryKey });
  const cancel = async ({ id, payload, scheduled_at }: ScheduledChange) => {
    await cancelChange(project, id);
    await refresh();
    const again = () => scheduleChange(project, flag.id, payload as unknown as ScheduledPayload, scheduled_at);
    toast('The scheduled change is canceled', { label: 'Undo', onPress: () => void again().then(refresh, fail) });
  };
  const fail = ({ message }: Error) => toast(`Not done: ${message}`);
  return (
    <ul className="divide-y divide-border rounded-l border border-border bg-surface">
      {changes.map((change) => (
        <li key={change.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-13">
          <span className="w-40 font-medium">{exactTime(change.scheduled_at, timezone)}</span>
          <span className="min-w-40 flex-1 wrap-anywhere">{scheduledText(change.payload)}</span>
          {change.failure_reason !== null && <Badge kind="bad">Failed</Badge>}
          <span className="text-12 text-text-2">
            {change.created_by?.first_name}, <Time at={change.created_at} zone={timezone} />
          </span>
          {flag.can_edit && change.executed_at === null && (
            <IconButton
              isSmall
              label={`Cancel: ${scheduledText(change.payload)}`}
              onPress={() => void cancel(change).catch(fail)}
            >
              <X size={14} aria-hidden />
            </IconButton>
          )}
          {change.failure_reason !== null && <p className="w-full text-12 text-bad">{change.failure_reason}</p>}
        </li>
      ))}
    </ul>
  );
}

/** "6 Jan 2027, 08:00". */
const exactTime = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(at));

type Operation = ScheduledPayload['operation'] | 'off';

/** The form of one scheduled change. */
function NewChange({ flag }: { flag: Flag }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const queries = useQueryClient();
  const draft = draftOf(flag);
  const [operation, setOperation] = useState<Operation>('update_status');
  const [condition, setCondition] = useState<Condition>(EVERYBODY);
  const [shares, setShares] = useState<ReadonlyMap<number, number>>(new Map());
  const variants: Variant[] = draft.variants.map((one) => ({ ...one, percentage: shares.get(one.id) ?? one.percentage }));
  const payload = (): ScheduledPayload => {
    if (operation === 'add_release_condition') return { operation, value: { groups: [groupOf(condition)] } };
    if (operation === 'update_variants') return { operation, value: variantFields({ variants, payload: '' }) };
    return { operation: 'update_status', value: operation !== 'off' };
  };
  return (
    <section aria-labelledby="schedule">
      <h2 id="schedule" className="mb-2 text-14 font-strong">
        Schedule a change
      </h2>
      <Form
        fields={['scheduled_at']}
        submit="Schedule change"
        submitting="Scheduling…"
        className="rounded-l border border-border bg-surface p-4"
        onSubmit={async ({ scheduled_at: local = '' }) => {
          const at = toZoned(parseDateTime(local), timezone).toAbsoluteString();
          await scheduleChange(project, flag.id, payload(), at);
          await queries.invalidateQueries({ queryKey: ['project', project, 'flag', flag.id] });
        }}
      >
        <div className="max-sm:overflow-x-auto">
          <Segmented<Operation>
            label="Change"
            value={operation}
            onChange={setOperation}
            options={[
              { value: 'update_status', label: 'Switch on' },
              { value: 'off', label: 'Switch off' },
              { value: 'add_release_condition', label: 'Add a condition' },
              ...(variants.length > 0 ? [{ value: 'update_variants' as const, label: 'Change the split' }] : []),
            ]}
          />
        </div>
        {operation === 'add_release_condition' && (
          <div className="grid gap-2">
            <FilterChips
              filters={condition.properties}
              sources={draft.groupType === null ? ['person', 'cohort'] : ['group']}
              groupType={draft.groupType}
              addLabel="Property or cohort"
              onChange={(properties) => setCondition({ ...condition, properties })}
            />
            <div className="flex items-center gap-3">
              <Slider
                label="Rollout of the new condition"
                value={condition.percentage}
                onChange={(percentage) => setCondition({ ...condition, percentage })}
              />
              <span className="tnum w-10 text-right text-13">{`${condition.percentage}%`}</span>
            </div>
            <p className="text-12 text-text-2">It is added after the conditions that the flag has by then.</p>
          </div>
        )}
        {operation === 'update_variants' && (
          <div className="flex flex-wrap gap-3">
            {variants.map(({ id, key, percentage }) => (
              <div key={id} className="w-28">
                <TextField
                  label={`${key} %`}
                  type="number"
                  value={String(percentage)}
                  onChange={(text) => setShares(new Map([...shares, [id, Number(text) || 0]]))}
                />
              </div>
            ))}
          </div>
        )}
        <div className="max-w-64">
          <TextField
            name="scheduled_at"
            label="When"
            type="datetime-local"
            isRequired
            help={`Time in ${timezone}. It is made with your rights as they are then.`}
          />
        </div>
      </Form>
    </section>
  );
}

const EVERYBODY: Condition = {
  id: 0,
  title: '',
  properties: [],
  dependencies: [],
  percentage: 100,
  variant: null,
  rest: {},
};
