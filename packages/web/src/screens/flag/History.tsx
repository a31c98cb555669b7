import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import type { Flag, FlagFields } from '../../data/flags.js';
import { flagVersionQuery, flagVersionsQuery } from '../../data/flags-history.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { type Difference, DifferenceTable } from '../../ui/DifferenceTable.js';
import { Fault, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { differencesOf } from './differences.js';
import { draftOf, type FlagContent, fieldsOf } from './draft.js';

export interface HistoryProps {
  flag: Flag;
  /** The version whose changes are shown; null: the current one. */
  selected: number | null;
  onSelect: (version: number) => void;
  /** Gets the fields that make the flag what it was. */
  onRollBack: (fields: FlagFields) => Promise<void>;
}

/** The versions of a flag, what each changed, and the way back. */
export function History({ flag, selected, onSelect, onRollBack }: HistoryProps) {
  const project = useProjectId();
  const { timezone } = useProject();
  const versions = useQuery(flagVersionsQuery(project, flag.id, flag.version));
  const shown = selected ?? flag.version;
  if (versions.isPending) return <Skeleton rows={6} />;
  if (versions.error)
    return (
      <Fault title="The history could not be loaded" detail={versions.error.message} onRetry={() => void versions.refetch()} />
    );
  return (
    <div className="grid grid-cols-[240px_minmax(0,1fr)] items-start gap-6 max-md:grid-cols-[minmax(0,1fr)]">
      <ol aria-label="Versions" className="overflow-hidden rounded-l border border-border bg-surface">
        {versions.data.results.map(({ version, created_by, created_at, is_current }) => (
          <li key={version} className="border-b border-border last:border-b-0">
            <button
              type="button"
              aria-current={version === shown ? 'true' : undefined}
              onClick={() => onSelect(version)}
              className="grid w-full gap-0.5 px-3 py-2 text-left text-13 hover:bg-hover aria-[current=true]:bg-accent-soft"
            >
              <span className="flex items-center gap-2 font-medium">
                {`Version ${version}`}
                {is_current && <Badge kind="good">Now</Badge>}
              </span>
              <span className="text-12 text-text-2">
                {created_by ? created_by.first_name || created_by.email : 'A deleted user'},{' '}
                <Time at={created_at} zone={timezone} />
              </span>
            </button>
          </li>
        ))}
      </ol>
      <VersionChanges flag={flag} version={shown} onRollBack={onRollBack} />
    </div>
  );
}

interface VersionChangesProps {
  flag: Flag;
  version: number;
  onRollBack: (fields: FlagFields) => Promise<void>;
}

function VersionChanges({ flag, version, onRollBack }: VersionChangesProps) {
  const project = useProjectId();
  const own = useQuery(flagVersionQuery(project, flag.id, version));
  const before = useQuery(flagVersionQuery(project, flag.id, version - 1));
  const [isBusy, setBusy] = useState(false);
  const failed = own.error ?? (version > 1 ? before.error : null);
  if (failed) return <Fault title={`Version ${version} could not be loaded`} detail={failed.message} />;
  if (!own.data || (version > 1 && !before.data)) return <Skeleton rows={4} />;
  const content = own.data.flag as FlagContent;
  const then = draftOf(content);
  const changed = before.data ? differencesWithSwitch(before.data.flag as FlagContent, content) : [];
  const isNow = version === flag.version;
  const back = isNow ? [] : differencesWithSwitch(flag, content);
  return (
    <div className="grid min-w-0 gap-6">
      <section aria-labelledby="changed">
        <h2 id="changed" className="mb-2 text-14 font-strong">{`What version ${version} changed`}</h2>
        {version === 1 ? (
          <p className="text-13 text-text-2">It is the first: the flag was created.</p>
        ) : (
          <DifferenceTable differences={changed} none="Nothing that is shown here." />
        )}
      </section>
      {!isNow && (
        <section aria-labelledby="back">
          <h2 id="back" className="mb-2 text-14 font-strong">{`Going back to version ${version}`}</h2>
          <DifferenceTable differences={back} none="The flag is as it was then." heads={['Now', 'Then']} />
          {flag.can_edit && back.length > 0 && (
            <div className="mt-3 flex flex-wrap items-center gap-3">
              <Button
                busyLabel={isBusy ? 'Rolling back…' : null}
                onPress={() => {
                  setBusy(true);
                  void onRollBack({ ...fieldsOf(then, content.filters), active: content.active ?? true }).finally(() =>
                    setBusy(false),
                  );
                }}
              >
                {`Roll back to version ${version}`}
              </Button>
              <span className="text-12 text-text-2">It makes a new version: the history stays.</span>
            </div>
          )}
        </section>
      )}
    </div>
  );
}

/** Differences with the switch, which is not part of a draft. */
function differencesWithSwitch(before: FlagContent, after: FlagContent): Difference[] {
  const word = ({ active = true }: FlagContent) => (active ? 'On' : 'Off');
  const isSwitched = word(before) !== word(after);
  return [
    ...(isSwitched ? [{ what: 'Switch', before: word(before), after: word(after) }] : []),
    ...differencesOf(draftOf(before), draftOf(after)),
  ];
}
