import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { DateRange } from '../../address/date-range.js';
import { AnswerFault } from '../../app/LoadFault.js';
import { InsightChart } from '../../chart/InsightChart.js';
import { type DashboardFilters, type Tile, tileQuery } from '../../data/dashboards.js';
import { Computing, Stopped } from '../../insight/Computing.js';
import { HowComputed } from '../../insight/HowComputed.js';
import { unwrapQuestion } from '../../query/question.js';
import { Card } from '../../ui/Card.js';
import { Markdown } from '../../ui/Markdown.js';
import { MenuLine, MenuRow, MoreMenu } from '../../ui/Menu.js';
import { Skeleton } from '../../ui/states.js';

export interface TileCardProps {
  project: string;
  dashboard: number;
  tile: Tile;
  filters: DashboardFilters;
  isEditing?: boolean;
  /** Shows other dates in all tiles. */
  onRange: (range: DateRange) => void;
  /** Absent: the person may not edit the dashboard. */
  onRemove?: () => void;
}

/** One tile: an insight with its chart, or a text. It loads and fails alone. */
export function TileCard({ project, dashboard, tile, filters, isEditing = false, onRange, onRemove }: TileCardProps) {
  if (tile.text) return <TextTile body={tile.text.body ?? ''} {...(onRemove && { onRemove })} />;
  if (!tile.insight) return null;
  return (
    <InsightTile
      {...{ project, dashboard, filters, isEditing, onRange }}
      insight={tile.insight}
      {...(onRemove && { onRemove })}
    />
  );
}

const CARD = 'flex h-full min-h-0 min-w-0 flex-col overflow-hidden';

function InsightTile({
  project,
  dashboard,
  filters,
  isEditing,
  insight,
  onRange,
  onRemove,
}: Omit<TileCardProps, 'tile'> & { insight: NonNullable<Tile['insight']> }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const options = tileQuery(project, dashboard, insight.id, filters);
  const shown = useQuery(options);
  const name = insight.name || insight.derived_name || 'Untitled';
  const path = `/p/${project}/insights/${insight.short_id}`;
  const recompute = () =>
    queries.fetchQuery({ ...tileQuery(project, dashboard, insight.id, filters, 'force_blocking'), staleTime: 0 }).catch(() => {});
  const { data } = shown;
  return (
    <Card className={CARD}>
      <div className="flex h-9 shrink-0 items-center gap-2 pr-1 pl-3">
        <h2 className="min-w-0 flex-1 truncate text-13 font-strong">
          {isEditing ? (
            name
          ) : (
            <Link to={path as string} className="text-text!">
              {name}
            </Link>
          )}
        </h2>
        <MoreMenu label={`Tile ${name}`} button={`More about ${name}`} isSmall>
          <MenuRow onAction={() => void navigate({ to: path as string })}>Open insight</MenuRow>
          <MenuRow onAction={() => void recompute()}>Compute again</MenuRow>
          {onRemove && (
            <>
              <MenuLine />
              <MenuRow isDanger onAction={onRemove}>
                Remove from dashboard
              </MenuRow>
            </>
          )}
        </MoreMenu>
      </div>
      <div className="min-h-0 flex-1 overflow-auto px-3 pb-2">
        {shown.isPending && shown.fetchStatus !== 'idle' && <Skeleton rows={4} />}
        {shown.isPending && shown.fetchStatus === 'idle' && <Stopped onAgain={() => void shown.refetch()} />}
        {shown.error && <AnswerFault title="No answer" error={shown.error} onRetry={() => void shown.refetch()} />}
        {data && !shown.error && (
          <InsightChart
            query={data.query}
            answer={{
              results: data.result,
              ...(data.columns && { columns: data.columns.map(String) }),
              timezone: data.timezone ?? 'UTC',
            }}
            isStale={shown.isPlaceholderData}
            range={filters.range}
            onRange={onRange}
          />
        )}
      </div>
      {/* inert: while the layout is edited, a tile is moved and not asked */}
      <div className="flex min-h-8 shrink-0 items-center justify-between gap-2 px-2" inert={isEditing}>
        {data?.last_refresh && (
          <HowComputed
            question={unwrapQuestion(data.effective_query ?? data.query)}
            answer={{ ...data, timezone: data.timezone ?? 'UTC' }}
            name={`“${name}”`}
          />
        )}
        {shown.isFetching && (
          <Computing
            key={JSON.stringify(filters)}
            name={`“${name}”`}
            onStop={() => void queries.cancelQueries({ queryKey: options.queryKey })}
          />
        )}
      </div>
    </Card>
  );
}

const TextTile = ({ body, onRemove }: { body: string; onRemove?: () => void }) => (
  <Card className={CARD}>
    <div className="min-h-0 flex-1 overflow-auto p-3">
      <div className="float-right">
        {onRemove && (
          <MoreMenu label="Text" button="More about this text" isSmall>
            <MenuRow isDanger onAction={onRemove}>
              Remove from dashboard
            </MenuRow>
          </MoreMenu>
        )}
      </div>
      <Markdown text={body} />
    </div>
  </Card>
);
