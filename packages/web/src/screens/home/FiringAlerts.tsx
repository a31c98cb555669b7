import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BellRing, TriangleAlert } from 'lucide-react';
import { useProjectId } from '../../app/project-context.js';
import { ownFiringAlertsQuery } from '../../data/alerts.js';
import { Badge } from '../../ui/Badge.js';
import { HomeCard } from './HomeCard.js';

/** Rows at most. */
const SHOWN = 5;

/** Alerts of the person that fire or fail. Without any, there is no card. */
export function FiringAlerts() {
  const project = useProjectId();
  const alerts = useQuery(ownFiringAlertsQuery(project)).data ?? [];
  if (alerts.length === 0) return null;
  return (
    <HomeCard
      title="Alerts"
      aside={<Badge kind={alerts.some(({ state }) => state === 'Firing') ? 'bad' : 'warn'}>{alerts.length}</Badge>}
    >
      <ul aria-label="Alerts">
        {alerts.slice(0, SHOWN).map(({ id, name, state, checks, insight_short_id }) => (
          <li key={id} className="relative flex items-start gap-2.5 px-4 pb-3">
            {state === 'Firing' ? (
              <BellRing size={16} role="img" aria-label="Firing" className="mt-0.5 shrink-0 text-bad" />
            ) : (
              <TriangleAlert size={16} role="img" aria-label="Failed" className="mt-0.5 shrink-0 text-warn" />
            )}
            <div className="min-w-0 flex-1">
              <Link
                to={`/p/${project}/insights/${insight_short_id}` as string}
                search={{ alert: id } as never}
                className="block truncate text-13 font-medium text-text after:absolute after:inset-0"
              >
                {name}
              </Link>
              <p className="text-12 wrap-anywhere text-text-2">{checks[0]?.message}</p>
            </div>
          </li>
        ))}
      </ul>
      {alerts.length > SHOWN && (
        <p className="px-4 pb-3 text-12">
          <Link to={`/p/${project}/insights/alerts` as string}>All alerts</Link>
        </p>
      )}
    </HomeCard>
  );
}
