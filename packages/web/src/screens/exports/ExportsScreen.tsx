import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { LoadFault } from '../../app/LoadFault.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import {
  createExport,
  type Export,
  type ExportFields,
  exportContent,
  exportsQuery,
  formatLabel,
  isInProgress,
} from '../../data/exports.js';
import { Badge } from '../../ui/Badge.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { LIST_ROWS, ListBody, PageHead } from '../../ui/PageHead.js';
import { Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { toast } from '../../ui/toast.js';

/** The files that were made of dashboards and insights, with why one could not be made. */
export function ExportsScreen() {
  const project = useProjectId();
  const exports = useQuery(exportsQuery(project));
  return (
    <>
      <PageHead title="Exports" />
      <ListBody>
        {exports.isPending && <Skeleton rows={8} />}
        {exports.error && <LoadFault what="exports" error={exports.error} onRetry={() => void exports.refetch()} />}
        {exports.data?.results.length === 0 && (
          <Message
            icon={<Download size={16} aria-hidden />}
            title="No exports yet"
            action={
              <Link to={`/p/${project}/dashboards` as string} className={buttonClass()}>
                Open a dashboard
              </Link>
            }
          >
            Dashboards and insights become pictures, documents and tables by their Export menu.
          </Message>
        )}
        {exports.data && exports.data.results.length > 0 && (
          <ul aria-label="Exports" className={LIST_ROWS}>
            {exports.data.results.map((one) => (
              <Row key={one.id} row={one} />
            ))}
          </ul>
        )}
      </ListBody>
    </>
  );
}

function Row({ row }: { row: Export }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const queries = useQueryClient();
  const mayExport = useMayCreate('export');
  const retry = useMutation({
    mutationFn: () =>
      createExport(project, {
        export_format: row.export_format as ExportFields['export_format'],
        ...(row.dashboard && { dashboard: row.dashboard }),
        ...(row.insight && { insight: row.insight }),
        ...(row.export_context && { export_context: row.export_context }),
      }),
    onError: (error) => toast(`Not tried again: ${error.message}`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['project', project, 'exports'] }),
  });
  return (
    <li className="flex min-h-[50px] flex-wrap items-center gap-3 px-6 py-2 text-13 max-sm:px-4">
      <span className="min-w-0 flex-1">
        <b className="block truncate font-medium">{row.filename}</b>
        <span className="block text-12 text-text-3">{formatLabel(row.export_format)}</span>
        {row.exception && <span className="block text-12 text-bad">{row.exception}</span>}
        {row.warning && <span className="block text-12 text-warn">{row.warning}</span>}
      </span>
      {isInProgress(row) ? (
        <Badge>Being made</Badge>
      ) : row.exception ? (
        <Badge kind="bad">Failed</Badge>
      ) : (
        <Badge kind="good">Ready</Badge>
      )}
      <span className="text-12 text-text-3">
        <Time at={row.created_at} zone={timezone} />
      </span>
      <span className="text-12 text-text-3 max-sm:hidden">
        deleted <Time at={row.expires_after} zone={timezone} />
      </span>
      {row.has_content === 'true' && (
        <a href={exportContent(project, row.id)} className={buttonClass('plain', true)}>
          Download
        </a>
      )}
      {row.exception && mayExport && (
        <Button isSmall busyLabel={retry.isPending ? 'Trying…' : null} onPress={() => retry.mutate()}>
          Try again
        </Button>
      )}
    </li>
  );
}
