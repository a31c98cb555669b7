import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useObjectLevel } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { retentionQuery } from '../../data/retention.js';
import { ConfirmByName } from '../../ui/ConfirmByName.js';
import { toast } from '../../ui/toast.js';
import {
  confirmText,
  isShorter,
  lossText,
  type RetentionKind,
  retentionFields,
  retentionLabel,
  retentionOptions,
  retentionText,
  retentionValue,
  stockText,
  triedRetention,
} from './retention-texts.js';
import { useRights } from './rights.js';
import { ChoiceRow, useSettings } from './rows.js';

/** How often the numbers are read again while something is being deleted, milliseconds. */
const DELETION_MS = 10_000;

/** For how long the project keeps something. A shorter time is asked about, with the numbers of what it deletes. */
export function RetentionRow({ kind }: { kind: RetentionKind }) {
  const project = useProjectId();
  const queries = useQueryClient();
  const { settings, refusal, change } = useSettings();
  const { isProjectAdmin } = useRights();
  const own = useObjectLevel('project_settings');
  const stock = useQuery({
    ...retentionQuery(project),
    enabled: own !== null && own.level !== 'none',
    refetchInterval: ({ state: { data } }) => (data && data[kind].deleted > 0 ? DELETION_MS : false),
  });
  const [wanted, setWanted] = useState<string | null>(null);
  const value = retentionValue(kind, settings);
  const apply = async (next: string) => {
    await change(retentionFields(kind, next));
    await queries.invalidateQueries({ queryKey: retentionQuery(project).queryKey, exact: true });
  };
  return (
    <>
      <ChoiceRow
        label={retentionLabel(kind)}
        help={
          stock.error
            ? `How much there is could not be counted: ${stock.error.message}`
            : stockText(kind, stock.data?.[kind] ?? null)
        }
        // the service lets only administrators of the project limit what is not a recording
        isReadOnly={kind === 'recordings' ? refusal !== null : !isProjectAdmin}
        isLong
        options={retentionOptions(kind, value)}
        value={value}
        // a refusal is shown in a toast
        onChange={(next) => (isShorter(next, value) ? setWanted(next) : void apply(next).catch(() => {}))}
      />
      {wanted !== null && (
        <ConfirmRetention kind={kind} value={wanted} onConfirm={() => apply(wanted)} onClose={() => setWanted(null)} />
      )}
    </>
  );
}

interface ConfirmRetentionProps {
  kind: RetentionKind;
  value: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

function ConfirmRetention({ kind, value, onConfirm, onClose }: ConfirmRetentionProps) {
  const project = useProjectId();
  const { name } = useProject();
  // counted anew for each question, and not while somebody types the name
  const counted = useQuery({ ...retentionQuery(project, triedRetention(kind, value)), gcTime: 0, refetchOnWindowFocus: false });
  const ages = counted.data?.[kind];
  const deleted = ages?.deleted ?? 0;
  const consequence = ages
    ? lossText(kind, value, ages)
    : counted.error
      ? `What would be deleted could not be counted: ${counted.error.message}`
      : 'Counting what would be deleted…';
  return (
    <ConfirmByName
      title={`${retentionLabel(kind)} ${retentionText(value)} only?`}
      consequence={consequence}
      name={deleted > 0 ? name : null}
      confirm={confirmText(kind, deleted)}
      confirming="Setting the limit…"
      isBlocked={!ages}
      onClose={onClose}
      onConfirm={async () => {
        await onConfirm();
        toast(deleted > 0 ? 'The limit is set. What is older goes within minutes.' : 'The limit is set.');
      }}
    />
  );
}
