import { BellRing, CircleAlert, CircleCheck, Clock, Moon, TriangleAlert } from 'lucide-react';
import type { Alert } from '../../data/alerts.js';
import { Badge } from '../../ui/Badge.js';
import { stateOf } from './alert-text.js';

const ICONS = {
  Firing: BellRing,
  Errored: TriangleAlert,
  Snoozed: Moon,
  'Not firing': CircleCheck,
};

/** The state of an alert. */
export function AlertBadge({ alert }: { alert: Alert }) {
  const { label, kind } = stateOf(alert);
  const Icon = label === 'Being checked' ? Clock : label === 'Off' ? CircleAlert : ICONS[alert.state];
  return (
    <Badge kind={kind} icon={<Icon size={12} aria-hidden />}>
      {label}
    </Badge>
  );
}

/** What an insight says of its alerts in its head: that one fires or fails. Nothing otherwise. */
export function AlertsBadge({ alerts }: { alerts: readonly Alert[] }) {
  const found = alerts.find(({ state }) => state === 'Firing') ?? alerts.find(({ state }) => state === 'Errored');
  if (!found) return null;
  const isFiring = found.state === 'Firing';
  return (
    <Badge
      kind={isFiring ? 'bad' : 'warn'}
      icon={isFiring ? <BellRing size={12} aria-hidden /> : <TriangleAlert size={12} aria-hidden />}
    >
      {isFiring ? 'Alert fires' : 'Alert failed'}
    </Badge>
  );
}
