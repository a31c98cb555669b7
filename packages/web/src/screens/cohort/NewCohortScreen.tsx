import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSaveShortcut } from '../../actions/use-save-shortcut.js';
import { useCreationBarrier } from '../../app/creation-barrier.js';
import { useProjectId } from '../../app/project-context.js';
import { cohortQuery, createCohort, refreshCohort } from '../../data/cohorts.js';
import { useSessionState } from '../../data/session-state.js';
import { filterFromText } from '../../query/filter-text.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { PageBar, PageBody, PageHead } from '../../ui/PageHead.js';
import { Segmented } from '../../ui/Segmented.js';
import { Skeleton } from '../../ui/states.js';
import { CohortCount } from './CohortCount.js';
import { ConditionsEditor } from './ConditionsEditor.js';
import { CSV_HELP, CsvButton } from './CsvButton.js';
import { type CohortDraft, draftOf, emptyGroup, filtersOf } from './draft.js';
import { NameFields } from './NameFields.js';

const route = getRouteApi('/p/$project/cohorts/new');

/** A new cohort: empty, of filters in the address, or a copy. */
export function NewCohortScreen() {
  const project = useProjectId();
  const { copy } = route.useSearch();
  const head = { crumb: <Link to={`/p/${project}/cohorts` as string}>Cohorts</Link>, title: 'New cohort' };
  const barrier = useCreationBarrier('cohort', 'cohorts', head);
  const original = useQuery({ ...cohortQuery(project, copy ?? 0), enabled: copy !== undefined });
  if (barrier) return barrier;
  if (copy !== undefined && original.isPending)
    return (
      <>
        <PageHead {...head} />
        <Skeleton rows={6} />
      </>
    );
  const copied = original.data ? draftOf({ ...original.data, name: `${original.data.name ?? 'Cohort'} (copy)` }) : null;
  return <NewCohort copied={copied} />;
}

function NewCohort({ copied }: { copied: CohortDraft | null }) {
  const project = useProjectId();
  const { f, copy, list } = route.useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const filters = (f ?? []).flatMap((text) => filterFromText(text) ?? []);
  const blank: CohortDraft = copied ?? {
    name: '',
    description: '',
    isStatic: list ?? false,
    match: 'AND',
    groups: [{ ...emptyGroup(), filters }],
  };
  const source = copy ? `copy-${copy}` : f ? `of-${f.join('&')}` : 'new';
  const [edited, setEdited] = useSessionState<CohortDraft>(`cohort-draft:${project}:${source}`);
  const [file, setFile] = useState<{ name: string; text: string } | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const draft = edited ?? blank;
  const edit = (change: Partial<CohortDraft>) => setEdited({ ...draft, ...change });
  const conditions = draft.isStatic ? null : filtersOf(draft);
  const lacks =
    draft.name.trim() === '' ? 'Give it a name.' : !draft.isStatic && !conditions ? 'Add a condition that is complete.' : null;
  const create = async () => {
    setSaving(true);
    setRefusal(null);
    try {
      const { name, description, isStatic } = draft;
      const made = await createCohort(project, {
        name,
        description,
        ...(isStatic ? { is_static: true, ...(file && { csv: file.text }) } : { filters: conditions ?? {} }),
      });
      setEdited(null);
      await refreshCohort(queries, project, made.id);
      await navigate({ to: `/p/${project}/cohorts/${made.id}` as string, search: (isStatic ? { tab: 'people' } : {}) as never });
    } catch (error) {
      setRefusal((error as Error).message);
    } finally {
      setSaving(false);
    }
  };
  useSaveShortcut('Create cohort', lacks ? null : () => void create());
  return (
    <>
      <PageHead
        crumb={<Link to={`/p/${project}/cohorts` as string}>Cohorts</Link>}
        title="New cohort"
        badges={edited && <Badge kind="warn">Not created yet</Badge>}
        actions={
          <>
            {lacks && <span className="text-12 text-text-2 max-sm:hidden">{lacks}</span>}
            <Button
              kind="primary"
              isDisabled={lacks !== null}
              busyLabel={isSaving ? 'Creating…' : null}
              onPress={() => void create()}
            >
              Create cohort
            </Button>
          </>
        }
      />
      <PageBar>
        <Segmented
          label="Made of"
          options={[
            { value: 'conditions', label: 'Conditions' },
            { value: 'list', label: 'A list of people' },
          ]}
          value={draft.isStatic ? 'list' : 'conditions'}
          onChange={(kind) => edit({ isStatic: kind === 'list' })}
        />
        <span className="text-12 text-text-2">
          {draft.isStatic
            ? 'People stay in it until somebody takes them out.'
            : 'People come and go as the conditions hold for them.'}
        </span>
      </PageBar>
      {refusal && (
        <p role="alert" className="border-b border-border bg-bad-soft px-6 py-2 text-13 text-bad max-sm:px-4">
          {refusal}
        </p>
      )}
      <PageBody>
        <div className="grid grid-cols-[minmax(0,1fr)_300px] items-start gap-4 max-lg:grid-cols-[minmax(0,1fr)]">
          <div className="grid min-w-0 gap-4">
            <NameFields draft={draft} edit={edit} />
            {draft.isStatic ? (
              <Card className="grid justify-items-start gap-2 p-4">
                <h2 className="text-13 font-strong">People by a file</h2>
                <p className="text-12 text-text-2">{CSV_HELP} You can also add people later.</p>
                <CsvButton isBusy={false} onText={(text, name) => setFile({ text, name })} />
                {file && (
                  <p role="status" className="text-13">{`${file.name}, ${linesOf(file.text).toLocaleString('en')} lines`}</p>
                )}
              </Card>
            ) : (
              <ConditionsEditor draft={draft} edit={edit} />
            )}
          </div>
          {!draft.isStatic && <CohortCount filters={conditions} />}
        </div>
      </PageBody>
    </>
  );
}

const linesOf = (text: string): number => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '').length;
