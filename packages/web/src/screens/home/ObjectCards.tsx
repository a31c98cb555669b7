import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChartLine, CircleAlert, Flag, Globe, LayoutDashboard, type LucideIcon, Play, TriangleAlert } from 'lucide-react';
import { useProjectId } from '../../app/project-context.js';
import { ApiFailure } from '../../data/api.js';
import { dashboardsQuery } from '../../data/dashboards.js';
import { exportsQuery } from '../../data/exports.js';
import { warningsQuery } from '../../data/health.js';
import { recentlyViewedQuery, type Viewed } from '../../data/recently-viewed.js';
import { warningText } from '../../query/refusal.js';
import { Badge } from '../../ui/Badge.js';
import { buttonClass } from '../../ui/Button.js';
import { HomeCard, LinkRow, LinkRows, Nothing } from './HomeCard.js';
import { Failed } from './NumberCard.js';

/** Rows of a card at most. */
const SHOWN = 5;

export function PinnedDashboards() {
  const project = useProjectId();
  const { data, error, refetch } = useQuery(dashboardsQuery(project));
  const pinned = data?.results.filter(({ pinned: isPinned }) => isPinned).slice(0, SHOWN);
  return (
    <HomeCard title="Pinned dashboards">
      {error && !data && <Unloaded what="dashboards" error={error} onRetry={() => void refetch()} />}
      {pinned?.length === 0 && (
        <Nothing>
          None yet. <Link to={`/p/${project}/dashboards` as string}>Pin a dashboard</Link> to find it here.
        </Nothing>
      )}
      {pinned && pinned.length > 0 && (
        <LinkRows label="Pinned dashboards">
          {pinned.map(({ id, name, is_shared }) => (
            <LinkRow
              key={id}
              to={`/p/${project}/dashboards/${id}`}
              icon={<LayoutDashboard size={16} strokeWidth={1.75} />}
              name={name || 'Untitled'}
              aside={
                is_shared && (
                  <Badge kind="accent" icon={<Globe size={12} aria-hidden />}>
                    Public
                  </Badge>
                )
              }
            />
          ))}
        </LinkRows>
      )}
    </HomeCard>
  );
}

/** What stands in a card that could not be loaded, or that the person may not see. */
const Unloaded = ({ what, error, onRetry }: { what: string; error: Error; onRetry: () => void }) =>
  error instanceof ApiFailure && error.status === 403 ? (
    <Nothing>You cannot see {what}.</Nothing>
  ) : (
    <div className="border-t border-border px-4 py-1">
      <Failed detail={error.message} onRetry={onRetry} />
    </div>
  );

/** What each kind of object is called, and where its screen is. */
const KINDS: Record<Viewed['kind'], { label: string; icon: LucideIcon; path: (viewed: Viewed) => string }> = {
  dashboard: { label: 'Dashboard', icon: LayoutDashboard, path: ({ id }) => `dashboards/${id}` },
  insight: { label: 'Insight', icon: ChartLine, path: ({ id, short_id }) => `insights/${short_id ?? id}` },
  feature_flag: { label: 'Flag', icon: Flag, path: ({ id }) => `flags/${id}` },
  session_recording: { label: 'Recording', icon: Play, path: ({ id }) => `recordings/${id}` },
};

export function RecentlyViewed() {
  const project = useProjectId();
  const { data, error, refetch } = useQuery(recentlyViewedQuery(project));
  return (
    <HomeCard title="Recently viewed">
      {error && !data && <Unloaded what="what you opened" error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <Nothing>Dashboards, insights, flags and recordings that you open are listed here.</Nothing>}
      {data && data.length > 0 && (
        <LinkRows label="Recently viewed">
          {data.slice(0, SHOWN).map((viewed) => {
            const { label, icon: Icon, path } = KINDS[viewed.kind];
            return (
              <LinkRow
                key={`${viewed.kind} ${viewed.id}`}
                to={`/p/${project}/${path(viewed)}`}
                icon={<Icon size={16} strokeWidth={1.75} />}
                name={viewed.name || 'Untitled'}
                aside={label}
              />
            );
          })}
        </LinkRows>
      )}
    </HomeCard>
  );
}

const DAY_MS = 24 * 60 * 60_000;
/** Warnings that are read: more of a day are counted as "or more". */
const READ = 100;

/** Events that were refused or mended, and exports that failed, in the last 24 hours. Without any, there is no card. */
export function NeedsALook({ now }: { now: Date }) {
  const project = useProjectId();
  const warnings = useQuery(warningsQuery(project, READ)).data?.results ?? [];
  const exports = useQuery(exportsQuery(project)).data?.results ?? [];
  const isRecent = (at: string) => Date.parse(at) > now.getTime() - DAY_MS;
  const counts = new Map<string, number>();
  for (const { type, timestamp } of warnings) if (isRecent(timestamp)) counts.set(type, (counts.get(type) ?? 0) + 1);
  const failed = exports.filter(({ exception, created_at }) => exception !== null && isRecent(created_at));
  const matters = counts.size + failed.length;
  if (matters === 0) return null;
  const row = 'flex items-start gap-2.5 px-4 pb-3';
  return (
    <HomeCard title="Needs a look" aside={<Badge kind="warn">{matters}</Badge>}>
      <ul aria-label="Needs a look">
        {[...counts].map(([type, count]) => (
          <li key={type} className={row}>
            <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warn" />
            <div className="min-w-0 flex-1">
              <p className="text-13 font-medium">{warningText(type)}</p>
              <p className="text-12 text-text-2">
                {`${count}${warnings.length === READ ? ' or more' : ''} ${count === 1 ? 'time' : 'times'} in the last 24 hours`}
              </p>
            </div>
            <Link
              to={`/p/${project}/settings/health` as string}
              aria-label={`See: ${warningText(type)}`}
              className={buttonClass('plain', true)}
            >
              See
            </Link>
          </li>
        ))}
        {failed.slice(0, SHOWN).map(({ id, filename, exception }) => (
          <li key={id} className={row}>
            <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-bad" />
            <div className="min-w-0 flex-1">
              <p className="truncate text-13 font-medium">{`Export "${filename}" failed`}</p>
              <p className="text-12 wrap-anywhere text-text-2">{exception}</p>
            </div>
            <Link
              to={`/p/${project}/exports` as string}
              aria-label={`See the export ${filename}`}
              className={buttonClass('plain', true)}
            >
              See
            </Link>
          </li>
        ))}
      </ul>
    </HomeCard>
  );
}
