import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMe, useProjectId } from '../../app/project-context.js';
import { type Alert, type AlertFields, createAlert, refreshAlerts, updateAlert } from '../../data/alerts.js';
import { type Question, seriesLetter } from '../../query/question.js';
import { Checkbox } from '../../ui/Checkbox.js';
import { Form } from '../../ui/Form.js';
import { Segmented } from '../../ui/Segmented.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { INTERVALS } from './alert-text.js';

const CONDITIONS = [
  { value: 'absolute_value', label: 'Value' },
  { value: 'relative_increase', label: 'Increase' },
  { value: 'relative_decrease', label: 'Decrease' },
] as const;
const TYPES = [
  { value: 'absolute', label: 'Number' },
  { value: 'percentage', label: 'Percent' },
] as const;

/** Names of fields as the API names them, so that its refusals stand at them. */
const LOWER = 'threshold__configuration__bounds__lower';
const UPPER = 'threshold__configuration__bounds__upper';
const BOTH = 'threshold__configuration__bounds';

export interface AlertFormProps {
  insight: number;
  question: Question;
  /** Null: a new one. */
  alert: Alert | null;
  onSaved: (alert: Alert) => void;
}

/** Makes or changes an alert. */
export function AlertForm({ insight, question, alert, onSaved }: AlertFormProps) {
  const project = useProjectId();
  const me = useMe();
  const queries = useQueryClient();
  const [condition, setCondition] = useState<Alert['condition']['type']>(alert?.condition.type ?? 'absolute_value');
  const [type, setType] = useState(alert?.threshold.configuration.type ?? 'absolute');
  const [interval, setInterval] = useState(alert?.calculation_interval ?? 'daily');
  const choices = seriesOf(question);
  const [series, setSeries] = useState(String(Math.min(alert?.config.series_index ?? 0, choices.length - 1)));
  const [isOngoing, setOngoing] = useState(alert?.config.check_ongoing_interval ?? false);
  const others = alert?.subscribed_users.filter(({ id }) => id !== me.id) ?? [];
  const [isSubscribed, setSubscribed] = useState(alert === null || alert.subscribed_users.some(({ id }) => id === me.id));
  const isChange = condition !== 'absolute_value';
  const isShare = isChange && type === 'percentage';
  const scale = isShare ? 100 : 1;
  const shown = (bound: number | null | undefined): string =>
    bound === null || bound === undefined ? '' : String(Number((bound * (wasShare(alert) ? 100 : 1)).toPrecision(12)));
  const [lower, setLower] = useState(shown(alert?.threshold.configuration.bounds.lower));
  const [upper, setUpper] = useState(shown(alert?.threshold.configuration.bounds.upper));

  async function save({ name = '', webhook_url = '' }: Record<string, string>): Promise<void> {
    const bounds = { lower: readBound(lower, LOWER, scale), upper: readBound(upper, UPPER, scale) };
    const fields: AlertFields = {
      name,
      calculation_interval: interval,
      condition: { type: condition },
      threshold: { configuration: { type: isChange ? type : 'absolute', bounds } },
      config: { type: 'TrendsAlertConfig', series_index: Number(series), check_ongoing_interval: isOngoing },
      subscribed_users: [...others.map(({ id }) => id), ...(isSubscribed ? [me.id] : [])],
      webhook_url: webhook_url.trim() || null,
    };
    try {
      const saved = alert ? await updateAlert(project, alert.id, fields) : await createAlert(project, insight, fields);
      await refreshAlerts(queries, project);
      onSaved(saved);
    } catch (error) {
      // a fault of both bounds stands at the first of them
      if (error instanceof Error && (error as { attr?: string }).attr === BOTH) throw new Misfit(error.message, LOWER);
      throw error;
    }
  }

  return (
    <Form
      fields={['name', LOWER, UPPER, 'webhook_url']}
      submit={alert ? 'Save alert' : 'Create alert'}
      submitting={alert ? 'Saving…' : 'Creating…'}
      onSubmit={save}
    >
      <TextField label="Name" name="name" isRequired autoFocus defaultValue={alert?.name ?? ''} />
      {choices.length > 1 && (
        <Select
          label={hasFormulas(question) ? 'Formula' : 'Series'}
          options={choices.map((label, index) => ({ value: String(index), label }))}
          value={series}
          onChange={setSeries}
        />
      )}
      <Choice label="Compare">
        <Segmented label="Compare" options={CONDITIONS} value={condition} onChange={setCondition} />
      </Choice>
      {isChange && (
        <Choice label="Change from the period before, as">
          <Segmented label="Change as" options={TYPES} value={type} onChange={setType} />
        </Choice>
      )}
      <div className="grid grid-cols-2 gap-3">
        <Bound label="Below" name={LOWER} isShare={isShare} value={lower} onChange={setLower} />
        <Bound label="Above" name={UPPER} isShare={isShare} value={upper} onChange={setUpper} />
      </div>
      <Choice label="Check">
        <Segmented label="Check" options={INTERVALS} value={interval} onChange={setInterval} />
      </Choice>
      <div className="grid gap-2">
        <Checkbox isSelected={isOngoing} onChange={setOngoing}>
          Check the period that is not over, too
        </Checkbox>
        <Checkbox isSelected={isSubscribed} onChange={setSubscribed}>
          Show it on my home page while it fires
        </Checkbox>
        {others.length > 0 && (
          <p className="text-12 text-text-3">
            Also on that of {others.map(({ first_name, email }) => first_name || email).join(', ')}.
          </p>
        )}
      </div>
      <TextField
        label="Webhook"
        name="webhook_url"
        type="url"
        defaultValue={alert?.webhook_url ?? ''}
        help="If you like: gets the news by POST. An address of Slack shows them in a channel."
      />
    </Form>
  );
}

const Choice = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <div className="grid gap-1">
    <span aria-hidden className="text-12 font-medium text-text-2">
      {label}
    </span>
    <div>{children}</div>
  </div>
);

interface BoundProps {
  label: string;
  name: string;
  isShare: boolean;
  value: string;
  onChange: (value: string) => void;
}

const Bound = ({ label, isShare, ...props }: BoundProps) => (
  <TextField {...props} label={isShare ? `${label}, %` : label} inputMode="decimal" help="If you like" />
);

/** A value that the form refuses itself, as the API would. */
class Misfit extends Error {
  constructor(
    message: string,
    readonly attr: string,
  ) {
    super(message);
  }
}

/** @throws Misfit the text is no number */
function readBound(text: string, attr: string, scale: number): number | null {
  const plain = text.trim().replace('−', '-').replace(/%$/, '').trim();
  if (plain === '') return null;
  const value = Number(plain);
  if (!Number.isFinite(value)) throw new Misfit('Write a number such as 100 or 2.5.', attr);
  return value / scale;
}

const wasShare = (alert: Alert | null): boolean =>
  alert !== null && alert.condition.type !== 'absolute_value' && alert.threshold.configuration.type === 'percentage';

const formulasOf = ({ trendsFilter }: Question): string[] => {
  const { formula, formulas, formulaNodes } = trendsFilter ?? {};
  const texts = (list: unknown, textOf: (one: unknown) => unknown): string[] =>
    Array.isArray(list) ? list.map((one) => String(textOf(one) ?? '')).filter((text) => text.trim() !== '') : [];
  const found = [
    texts(formulaNodes, (one) => (one as { formula?: unknown } | null)?.formula),
    texts(formulas, (one) => one),
    texts([formula], (one) => one),
  ];
  return found.find((list) => list.length > 0) ?? [];
};

const hasFormulas = (question: Question): boolean => formulasOf(question).length > 0;

/** What can be compared: formulas, or else series. */
function seriesOf(question: Question): string[] {
  const formulas = formulasOf(question);
  if (formulas.length > 0) return formulas;
  return (question.series ?? []).map(
    ({ custom_name, name, event }, index) => `${seriesLetter(index)}: ${custom_name || name || event || 'Any event'}`,
  );
}
