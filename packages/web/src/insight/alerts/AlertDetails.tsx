import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ChevronDown, Pencil, Send, Trash2 } from 'lucide-react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { type Alert, type AlertCheck, deleteAlert, refreshAlerts, testAlertWebhook, updateAlert } from '../../data/alerts.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Menu, MenuRow } from '../../ui/Menu.js';
import { Switch } from '../../ui/Switch.js';
import { Time } from '../../ui/Time.js';
import { toast } from '../../ui/toast.js';
import { AlertBadge } from './AlertBadge.js';
import { conditionText, intervalText, valueText } from './alert-text.js';

const HOUR_MS = 3_600_000;
const SNOOZES = [
  { label: 'For an hour', ms: HOUR_MS },
  { label: 'For a day', ms: 24 * HOUR_MS },
  { label: 'For a week', ms: 168 * HOUR_MS },
];

/** What an alert compares, its state, and what its last checks found. */
export function AlertDetails({ alert, onEdit, onDeleted }: { alert: Alert; onEdit: () => void; onDeleted: () => void }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const queries = useQueryClient();
  const { can_edit: canEdit, state, snoozed_until: until, next_check_at: next, last_modified_by: editor } = alert;
  const change = async (fields: Parameters<typeof updateAlert>[2]) => {
    try {
      await updateAlert(project, alert.id, fields);
    } catch (error) {
      toast(`Not changed: ${(error as Error).message}`);
    }
    await refreshAlerts(queries, project);
  };
  const remove = async () => {
    try {
      await deleteAlert(queries, project, alert);
      onDeleted();
    } catch (error) {
      toast(`Not deleted: ${(error as Error).message}`);
    }
  };
  const time = (at: string) => <Time at={at} zone={timezone} />;
  const isSnoozed = state === 'Snoozed' && until !== null;
  return (
    <div className="grid gap-4">
      <div className="grid gap-1">
        <div className="flex items-start gap-2">
          <p className="flex min-w-0 flex-1 flex-wrap items-center gap-2 text-13">
            <AlertBadge alert={alert} />
            {conditionText(alert)}, {intervalText(alert)}
          </p>
          {canEdit && (
            <Switch isSelected={alert.enabled} onChange={(enabled) => void change({ enabled })}>
              On
            </Switch>
          )}
        </div>
        <ul className="grid gap-0.5 text-12 text-text-3">
          {isSnoozed ? <li>Snoozed until {time(until)}</li> : next && <li>Next check {time(next)}</li>}
          {alert.config.check_ongoing_interval && <li>The period that is not over is checked, too</li>}
          {alert.has_webhook && <li>A webhook gets the news</li>}
          {editor && <li>Saved by {editor.first_name || editor.email}</li>}
        </ul>
      </div>
      {canEdit && (
        <div className="flex flex-wrap items-center gap-2">
          <Button isSmall icon={<Pencil size={14} aria-hidden />} onPress={onEdit}>
            Edit alert
          </Button>
          {isSnoozed ? (
            <Button isSmall onPress={() => void change({ snoozed_until: null })}>
              Wake
            </Button>
          ) : (
            <Menu
              label="Snooze"
              trigger={
                <Button isSmall isDisabled={!alert.enabled}>
                  Snooze
                  <ChevronDown size={14} aria-hidden className="-mr-1 ml-1 inline" />
                </Button>
              }
            >
              {SNOOZES.map(({ label, ms }) => (
                <MenuRow key={label} onAction={() => void change({ snoozed_until: new Date(Date.now() + ms).toISOString() })}>
                  {label}
                </MenuRow>
              ))}
            </Menu>
          )}
          <Button kind="danger" isSmall icon={<Trash2 size={14} aria-hidden />} onPress={() => void remove()}>
            Delete alert
          </Button>
        </div>
      )}
      {canEdit && alert.has_webhook && <WebhookTest key={alert.webhook_url} project={project} id={alert.id} />}
      <section aria-labelledby={`checks-${alert.id}`} className="grid gap-2">
        <h3 id={`checks-${alert.id}`} className="text-13 font-strong">
          Checks
        </h3>
        {alert.checks.length === 0 && <p className="text-13 text-text-2">None yet.</p>}
        <ol aria-label="Checks" className="-mx-4 divide-y divide-border border-y border-border empty:hidden">
          {alert.checks.map((check) => (
            <CheckRow key={check.id} alert={alert} check={check} />
          ))}
        </ol>
      </section>
    </div>
  );
}

/** Sends a test to the webhook, and says whether it took it. */
function WebhookTest({ project, id }: { project: string; id: string }) {
  const test = useMutation({ mutationFn: () => testAlertWebhook(project, id) });
  const fault = test.error?.message ?? test.data?.webhook_error;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        isSmall
        icon={<Send size={14} aria-hidden />}
        busyLabel={test.isPending ? 'Sending…' : null}
        onPress={() => test.mutate()}
      >
        Send a test
      </Button>
      <p role="status" className={`min-w-0 flex-1 text-12 wrap-anywhere ${fault ? 'text-bad' : 'text-text-2'}`}>
        {test.isSuccess && !fault && 'The webhook took the test.'}
        {fault && !test.isPending && `Not delivered: ${fault}`}
      </p>
    </div>
  );
}

const KINDS = { Firing: 'bad', Errored: 'warn', 'Not firing': 'good' } as const;
const LABELS = { Firing: 'Firing', Errored: 'Failed', 'Not firing': 'Not firing' } as const;

function CheckRow({ alert, check }: { alert: Alert; check: AlertCheck }) {
  const { timezone } = useProject();
  const { state, calculated_value: value, message, webhook, webhook_error: fault } = check;
  return (
    <li className="grid gap-1 px-4 py-2">
      <p className="flex items-center gap-2 text-12">
        <Badge kind={KINDS[state]}>{LABELS[state]}</Badge>
        <span className="tnum flex-1 text-right text-13 font-medium">{value === null ? '' : valueText(alert, value)}</span>
        <span className="w-20 shrink-0 text-right text-text-3">
          <Time at={check.created_at} zone={timezone} />
        </span>
      </p>
      <p className="text-12 wrap-anywhere text-text-2">{message}</p>
      {webhook && (
        <p className={`text-12 wrap-anywhere ${webhook === 'failed' ? 'text-bad' : 'text-text-3'}`}>
          {webhook === 'delivered'
            ? 'The webhook got the news.'
            : webhook === 'failed'
              ? 'The webhook did not get the news: '
              : 'The webhook is called. '}
          {fault}
        </p>
      )}
    </li>
  );
}
