import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Plus } from 'lucide-react';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { type Alert, alertQuery, alertsOfInsightQuery } from '../../data/alerts.js';
import type { Question } from '../../query/question.js';
import { Button } from '../../ui/Button.js';
import { Panel } from '../../ui/Panel.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { AlertBadge } from './AlertBadge.js';
import { AlertDetails } from './AlertDetails.js';
import { AlertForm } from './AlertForm.js';
import { conditionText, intervalText, valueText } from './alert-text.js';

export interface AlertsPanelProps {
  /** Number of the insight. */
  insight: number;
  /** Its question as it is saved: that is what is checked. */
  question: Question;
  canEdit: boolean;
  /** What is shown: `list`, `new`, or the id of an alert. It stands in the address. */
  shown: string;
  onShow: (shown: string) => void;
  onClose: () => void;
}

/** The alerts of an insight: their list, one of them with its checks, or the form of a new one. */
export function AlertsPanel(props: AlertsPanelProps) {
  const { shown } = props;
  if (shown === 'list') return <AlertList {...props} />;
  if (shown === 'new' && props.canEdit) return <NewAlert {...props} />;
  return shown === 'new' ? <AlertList {...props} /> : <OneAlert key={shown} {...props} />;
}

const isTrend = ({ kind }: Question): boolean => kind === 'TrendsQuery';

function AlertList({ insight, question, canEdit, onShow, onClose }: AlertsPanelProps) {
  const project = useProjectId();
  const alerts = useQuery(alertsOfInsightQuery(project, insight));
  const mayAdd = canEdit && isTrend(question);
  return (
    <Panel
      title="Alerts"
      onClose={onClose}
      footer={
        mayAdd && (
          <Button kind="primary" icon={<Plus size={14} aria-hidden />} onPress={() => onShow('new')}>
            New alert
          </Button>
        )
      }
    >
      {alerts.isPending && <Skeleton rows={4} />}
      {alerts.error && (
        <Fault title="Alerts could not be loaded" detail={alerts.error.message} onRetry={() => void alerts.refetch()} />
      )}
      {alerts.data?.length === 0 && (
        <Message title="No alerts">
          {isTrend(question)
            ? 'An alert compares this number every hour, day, week or month, and tells when it leaves its bounds.'
            : 'Only an insight that is a trend can have alerts.'}
        </Message>
      )}
      <ul aria-label="Alerts" className="-mx-4 -mt-4 divide-y divide-border border-b border-border empty:hidden">
        {alerts.data?.map((alert) => (
          <AlertRow key={alert.id} alert={alert} onOpen={() => onShow(alert.id)} />
        ))}
      </ul>
    </Panel>
  );
}

function AlertRow({ alert, onOpen }: { alert: Alert; onOpen: () => void }) {
  const { timezone } = useProject();
  const { last_value: value, last_checked_at: checked, checks } = alert;
  return (
    <li className="relative grid gap-1 px-4 py-2.5 hover:bg-hover">
      <p className="flex items-center gap-2">
        <button
          type="button"
          onClick={onOpen}
          className="min-w-0 flex-1 truncate text-left text-13 font-medium after:absolute after:inset-0"
        >
          {alert.name}
        </button>
        {value !== null && <span className="tnum text-13">{valueText(alert, value)}</span>}
        <AlertBadge alert={alert} />
      </p>
      <p className="flex gap-2 text-12 text-text-3">
        <span className="min-w-0 flex-1 truncate">
          {conditionText(alert)}, {intervalText(alert)}
        </span>
        {checked && <Time at={checked} zone={timezone} />}
      </p>
      {alert.state === 'Errored' && <p className="text-12 wrap-anywhere text-warn">{checks[0]?.message}</p>}
    </li>
  );
}

const BackToList = ({ onShow }: Pick<AlertsPanelProps, 'onShow'>) => (
  <div className="-mt-1 -ml-2 mb-2">
    <Button kind="quiet" isSmall icon={<ArrowLeft size={14} aria-hidden />} onPress={() => onShow('list')}>
      All alerts of this insight
    </Button>
  </div>
);

function NewAlert({ insight, question, onShow, onClose }: AlertsPanelProps) {
  return (
    <Panel title="New alert" onClose={onClose}>
      <BackToList onShow={onShow} />
      {isTrend(question) ? (
        <AlertForm insight={insight} question={question} alert={null} onSaved={({ id }) => onShow(id)} />
      ) : (
        <Message title="No alert is possible">Only an insight that is a trend can have alerts.</Message>
      )}
    </Panel>
  );
}

function OneAlert({ insight, question, shown, onShow, onClose }: AlertsPanelProps) {
  const project = useProjectId();
  const alert = useQuery(alertQuery(project, shown));
  const [isEditing, setEditing] = useState(false);
  const { data } = alert;
  return (
    <Panel title={data ? (isEditing ? 'Edit alert' : data.name) : 'Alert'} onClose={onClose}>
      <BackToList onShow={onShow} />
      {alert.isPending && <Skeleton rows={6} />}
      {alert.error && (
        <Fault title="This alert could not be loaded" detail={alert.error.message} onRetry={() => void alert.refetch()} />
      )}
      {data && isEditing && data.can_edit && (
        <AlertForm insight={insight} question={question} alert={data} onSaved={() => setEditing(false)} />
      )}
      {data && !(isEditing && data.can_edit) && (
        <AlertDetails alert={data} onEdit={() => setEditing(true)} onDeleted={() => onShow('list')} />
      )}
    </Panel>
  );
}
