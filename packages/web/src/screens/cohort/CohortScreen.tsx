import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ChartLine, Check, Copy, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useSaveShortcut } from '../../actions/use-save-shortcut.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { ApiFailure } from '../../data/api.js';
import { type Cohort, cohortQuery, deleteCohort, duplicateCohort, refreshCohort, updateCohort } from '../../data/cohorts.js';
import { useSessionState } from '../../data/session-state.js';
import { newQuestion } from '../../query/question.js';
import { Badge } from '../../ui/Badge.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { CodeBlock } from '../../ui/CodeBlock.js';
import { MenuLine, MenuRow, MoreMenu } from '../../ui/Menu.js';
import { PageBar, PageBody, PageHead } from '../../ui/PageHead.js';
import { Segmented } from '../../ui/Segmented.js';
import { Fault, Message, NoPermission, Skeleton } from '../../ui/states.js';
import { toast } from '../../ui/toast.js';
import { CohortCount } from './CohortCount.js';
import { CohortFacts } from './CohortFacts.js';
import { CohortPeople } from './CohortPeople.js';
import { ConditionsEditor } from './ConditionsEditor.js';
import { ConditionsText } from './ConditionsText.js';
import { type CohortDraft, draftOf, filtersOf } from './draft.js';
import { NameFields } from './NameFields.js';
import { StaticList } from './StaticList.js';

const route = getRouteApi('/p/$project/cohorts/$id');

/** One cohort: of whom it is made, its people, and what uses it. */
export function CohortScreen() {
  const project = useProjectId();
  const { id } = route.useParams();
  const cohort = useQuery(cohortQuery(project, id));
  if (cohort.data) return <LoadedCohort key={id} cohort={cohort.data} />;
  const crumb = <Link to={`/p/${project}/cohorts` as string}>Cohorts</Link>;
  const status = cohort.error instanceof ApiFailure ? cohort.error.status : null;
  return (
    <>
      <PageHead crumb={crumb} title="Cohort" />
      {cohort.isPending && <Skeleton rows={8} />}
      {status === 404 && (
        <Message title="There is no such cohort" action={crumb}>
          It may have been deleted.
        </Message>
      )}
      {status === 403 && (
        <NoPermission what="this cohort" needs="Its creator, or somebody who manages access, can give you access." />
      )}
      {cohort.error && status !== 404 && status !== 403 && (
        <Fault title="The cohort could not be loaded" detail={cohort.error.message} onRetry={() => void cohort.refetch()} />
      )}
    </>
  );
}

function LoadedCohort({ cohort }: { cohort: Cohort }) {
  const project = useProjectId();
  const { tab = 'conditions' } = route.useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const mayCreate = useMayCreate('cohort');
  const [edited, setEdited] = useSessionState<CohortDraft>(`cohort-draft:${project}:${cohort.id}`);
  const [isSaving, setSaving] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const mayEdit = cohort.user_access_level === 'editor' || cohort.user_access_level === 'manager';
  const stored = draftOf(cohort);
  const draft = edited ?? stored;
  const isChanged = edited !== null && JSON.stringify(edited) !== JSON.stringify(stored);
  const { is_static: isStatic } = cohort;
  const filters = draft && !isStatic ? filtersOf(draft) : null;
  const edit = (change: Partial<CohortDraft>) => draft && setEdited({ ...draft, ...change });

  const save = async () => {
    if (!draft) return;
    setSaving(true);
    setRefusal(null);
    try {
      const { name, description } = draft;
      const saved = await updateCohort(project, cohort.id, { name, description, ...(filters && { filters }) });
      queries.setQueryData(cohortQuery(project, cohort.id).queryKey, saved);
      // changes that were made meanwhile remain
      setEdited((now) => (now === edited ? null : now));
      await refreshCohort(queries, project, cohort.id);
    } catch (error) {
      setRefusal((error as Error).message);
    } finally {
      setSaving(false);
    }
  };
  /** A copy of conditions is changed before it is created; a list is copied with its people. */
  const duplicate = async () => {
    if (!isStatic) return navigate({ to: `/p/${project}/cohorts/new` as string, search: { copy: cohort.id } as never });
    try {
      const copy = await duplicateCohort(project, cohort.id);
      await refreshCohort(queries, project, copy.id);
      await navigate({ to: `/p/${project}/cohorts/${copy.id}` as string, search: { tab: 'people' } as never });
    } catch (error) {
      toast(`Not duplicated: ${(error as Error).message}`);
    }
  };
  const remove = async () => {
    try {
      await deleteCohort(queries, project, cohort);
      await navigate({ to: `/p/${project}/cohorts` as string });
    } catch (error) {
      toast(`Not deleted: ${(error as Error).message}`);
    }
  };
  const canSave = isChanged && mayEdit && (isStatic || filters !== null);
  useSaveShortcut('Save cohort', canSave ? () => void save() : null);
  const question = {
    ...newQuestion('TrendsQuery'),
    properties: [{ type: 'cohort', key: 'id', operator: 'in', value: cohort.id }],
  };
  const label = cohort.name || `Cohort ${cohort.id}`;
  return (
    <>
      <PageHead
        crumb={<Link to={`/p/${project}/cohorts` as string}>Cohorts</Link>}
        title={label}
        badges={
          <>
            {isStatic && <Badge>List</Badge>}
            {isChanged && mayEdit && (
              <span role="status">
                <Badge kind="warn">Changes, not saved</Badge>
              </span>
            )}
            {!mayEdit && <Badge>You can view it, and not change it</Badge>}
          </>
        }
        actions={
          <>
            {(mayCreate || mayEdit) && (
              <MoreMenu label="Cohort">
                {mayCreate && (
                  <MenuRow icon={<Copy size={14} aria-hidden />} onAction={() => void duplicate()}>
                    Duplicate
                  </MenuRow>
                )}
                {mayCreate && mayEdit && <MenuLine />}
                {mayEdit && (
                  <MenuRow icon={<Trash2 size={14} aria-hidden />} isDanger onAction={() => void remove()}>
                    Delete cohort
                  </MenuRow>
                )}
              </MoreMenu>
            )}
            <Link
              to={`/p/${project}/insights/new` as string}
              search={{ q: JSON.stringify(question) } as never}
              className={buttonClass()}
            >
              <ChartLine size={14} aria-hidden />
              Make an insight of it
            </Link>
            {isChanged && mayEdit && (
              <Button icon={<Undo2 size={14} aria-hidden />} onPress={() => setEdited(null)}>
                Discard
              </Button>
            )}
            {mayEdit &&
              (isChanged ? (
                <Button kind="primary" isDisabled={!canSave} busyLabel={isSaving ? 'Saving…' : null} onPress={() => void save()}>
                  Save changes
                </Button>
              ) : (
                <Button isDisabled icon={<Check size={14} aria-hidden />}>
                  Saved
                </Button>
              ))}
          </>
        }
      />
      <PageBar>
        <Segmented
          label="Part of the cohort"
          options={[
            { value: 'conditions', label: isStatic ? 'List' : 'Conditions' },
            { value: 'people', label: `People${cohort.count === null ? '' : ` (${cohort.count.toLocaleString('en')})`}` },
          ]}
          value={tab}
          onChange={(next) =>
            void navigate({ to: '.', search: (next === 'people' ? { tab: next } : {}) as never, replace: true })
          }
        />
      </PageBar>
      {refusal && (
        <p role="alert" className="border-b border-border bg-bad-soft px-6 py-2 text-13 text-bad max-sm:px-4">
          {refusal}
        </p>
      )}
      {tab === 'people' ? (
        <CohortPeople cohort={cohort} mayEdit={mayEdit} />
      ) : (
        <PageBody>
          <div className="grid grid-cols-[minmax(0,1fr)_300px] items-start gap-4 max-lg:grid-cols-[minmax(0,1fr)]">
            <div className="grid min-w-0 gap-4">
              {mayEdit && draft && <NameFields draft={draft} edit={edit} />}
              {!mayEdit && cohort.description && <p className="text-13 text-text-2">{cohort.description}</p>}
              {isStatic && mayEdit && <StaticList cohort={cohort} />}
              {!isStatic && draft && mayEdit && <ConditionsEditor draft={draft} edit={edit} />}
              {!isStatic && draft && !mayEdit && <ConditionsText draft={draft} />}
              {!draft && <DeepConditions cohort={cohort} />}
            </div>
            <div className="grid min-w-0 gap-4">
              {draft && !isStatic && <CohortCount filters={filters} />}
              <CohortFacts cohort={cohort} />
            </div>
          </div>
        </PageBody>
      )}
    </>
  );
}

const DeepConditions = ({ cohort }: { cohort: Cohort }) => (
  <Card className="grid gap-3 p-4">
    <p className="text-13 text-text-2">
      These conditions are nested deeper than this form can show. They work, and the API can change them.
    </p>
    <CodeBlock code={JSON.stringify(cohort.filters, null, 2)} what="the conditions" />
  </Card>
);
