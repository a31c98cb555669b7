import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Archive, CirclePause, Copy, Rocket, Trash2 } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { type Action, useActions } from '../../actions/actions.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { changedFields, useStoredDraft } from '../../data/stored-draft.js';
import {
  createSurvey,
  deleteSurvey,
  noteSurvey,
  SURVEY_STATE_KINDS,
  SURVEY_STATE_TEXTS,
  type Survey,
  type SurveyFields,
  stateOf,
  surveyQuery,
  updateSurvey,
} from '../../data/surveys.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { MenuLine, MenuRow, MoreMenu } from '../../ui/Menu.js';
import { PageHead } from '../../ui/PageHead.js';
import { Refused } from '../../ui/Refused.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { Tabs } from '../../ui/Tabs.js';
import { toast } from '../../ui/toast.js';
import { Answers } from './Answers.js';
import { draftOf, faultsOf, fieldsOf, hasFaults } from './draft.js';
import { editorTabs, Summary } from './Editor.js';
import { Preview } from './Preview.js';
import type { SurveyTab } from './route.js';

const route = getRouteApi('/p/$project/surveys/$id');

/** One survey: its answers, and its editor with a preview. */
export function SurveyScreen() {
  const project = useProjectId();
  const { id } = route.useParams();
  const loaded = route.useLoaderData();
  const { data: survey = loaded } = useQuery(surveyQuery(project, id));
  const state = stateOf(survey, Date.now());
  const { tab = state === 'draft' ? 'questions' : 'answers' } = route.useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const clean = useMemo(() => draftOf(survey), [survey]);
  const { draft, base, isChanged, edit, discard, noteSaved } = useStoredDraft(`survey-draft:${project}:${id}`, clean);
  const faults = faultsOf(draft);
  const isWrong = hasFaults(faults);
  const canEdit = survey.user_access_level !== 'viewer';
  const mayCreate = useMayCreate('survey');
  const [busy, setBusy] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isDeleting, setDeleting] = useState(false);

  /** @returns the survey as it is stored; null: it was not changed, and the screen says why */
  const change = async (name: string, fields: SurveyFields): Promise<Survey | null> => {
    setBusy(name);
    setRefusal(null);
    try {
      const stored = await updateSurvey(project, id, fields);
      await noteSurvey(queries, project, stored);
      return stored;
    } catch (error) {
      setRefusal(sentenceOf(error));
      return null;
    } finally {
      setBusy(null);
    }
  };
  const save = async () => {
    const stored = await change('save', changedFields(fieldsOf(draft), fieldsOf(base)));
    if (stored) noteSaved(draft, draftOf(stored));
  };
  const launch = () => void change('launch', { start_date: new Date().toISOString(), end_date: null });
  const stop = async () => {
    const end_date = new Date().toISOString();
    if (await change('stop', { end_date }))
      toast(`“${survey.name}” has ended`, { label: 'Undo', onPress: () => void change('stop', { end_date: null }) });
  };
  const duplicate = async () => {
    try {
      const { questions = [], ...fields } = fieldsOf(draftOf(survey));
      const copy = await createSurvey(project, { ...fields, name: `${survey.name} (copy)`, questions });
      await noteSurvey(queries, project, copy);
      await navigate({ to: `/p/${project}/surveys/${copy.id}` as string });
    } catch (error) {
      setRefusal(sentenceOf(error));
    }
  };
  const remove = async () => {
    setBusy('delete');
    try {
      await deleteSurvey(project, id);
      await navigate({ to: `/p/${project}/surveys` as string });
      queries.removeQueries({ queryKey: ['project', project, 'survey', id] });
      await queries.invalidateQueries({ queryKey: ['project', project, 'surveys'] });
    } catch (error) {
      setDeleting(false);
      setRefusal(sentenceOf(error));
    } finally {
      setBusy(null);
    }
  };
  useSaveShortcut(isChanged && !isWrong && canEdit ? () => void save() : null);
  const setTab = (next: SurveyTab) => void navigate({ to: '.', search: { tab: next } as never, replace: true });
  const answers = { id: 'answers' as const, label: 'Answers', content: () => <Answers survey={survey} /> };
  const isEditing = tab !== 'answers';
  return (
    <>
      <PageHead
        crumb={<Link to={`/p/${project}/surveys` as string}>Surveys</Link>}
        title={survey.name}
        badges={
          <>
            <Badge kind={SURVEY_STATE_KINDS[state]}>{SURVEY_STATE_TEXTS[state]}</Badge>
            {!canEdit && <Badge>You can view it, and not change it</Badge>}
            {isChanged && <Badge kind="warn">Changed, not saved</Badge>}
          </>
        }
        actions={
          canEdit && (
            <>
              {isChanged && (
                <>
                  <Button kind="quiet" onPress={discard}>
                    Discard
                  </Button>
                  <Button
                    kind={state === 'draft' ? 'plain' : 'primary'}
                    isDisabled={isWrong}
                    busyLabel={busy === 'save' ? 'Saving…' : null}
                    onPress={() => void save()}
                  >
                    Save changes
                  </Button>
                </>
              )}
              {(state === 'running' || state === 'scheduled') && (
                <Button
                  icon={<CirclePause size={14} aria-hidden />}
                  busyLabel={busy === 'stop' ? 'Ending…' : null}
                  onPress={() => void stop()}
                >
                  End survey
                </Button>
              )}
              {state === 'ended' && (
                <Button busyLabel={busy === 'stop' ? 'Going on…' : null} onPress={() => void change('stop', { end_date: null })}>
                  Go on
                </Button>
              )}
              <MoreMenu label="More">
                {mayCreate && (
                  <MenuRow icon={<Copy size={14} aria-hidden />} onAction={() => void duplicate()}>
                    Duplicate
                  </MenuRow>
                )}
                <MenuRow
                  icon={<Archive size={14} aria-hidden />}
                  onAction={() => void change('archive', { archived: !survey.archived })}
                >
                  {survey.archived ? 'Take it out of the archive' : 'Archive'}
                </MenuRow>
                <MenuLine />
                <MenuRow isDanger icon={<Trash2 size={14} aria-hidden />} onAction={() => setDeleting(true)}>
                  Delete survey
                </MenuRow>
              </MoreMenu>
              {state === 'draft' && (
                <Button
                  kind="primary"
                  icon={<Rocket size={14} aria-hidden />}
                  isDisabled={isChanged}
                  busyLabel={busy === 'launch' ? 'Launching…' : null}
                  onPress={launch}
                >
                  Launch
                </Button>
              )}
            </>
          )
        }
      />
      <div className="relative flex min-h-0 flex-1 max-lg:block max-lg:overflow-y-auto">
        <div className="relative min-w-0 flex-1 overflow-y-auto p-6 max-lg:overflow-visible max-sm:p-4">
          {refusal && <Refused message={refusal} />}
          <Tabs<SurveyTab>
            label="Parts of the survey"
            selected={canEdit || tab === 'answers' ? tab : 'questions'}
            onSelect={setTab}
            tabs={
              canEdit
                ? [answers, ...editorTabs({ draft, faults, edit })]
                : [answers, { id: 'questions', label: 'Questions', content: () => <Summary draft={draft} /> }]
            }
          />
        </div>
        {isEditing && (
          <aside
            aria-label="Preview"
            className="w-[400px] shrink-0 overflow-y-auto border-l border-border bg-surface p-4 max-lg:w-full max-lg:overflow-visible max-lg:border-t max-lg:border-l-0"
          >
            <Preview draft={draft} />
          </aside>
        )}
      </div>
      <Dialog
        title={`Delete “${survey.name}”`}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        footer={
          <>
            <Button onPress={() => setDeleting(false)}>Keep it</Button>
            <Button kind="danger-fill" busyLabel={busy === 'delete' ? 'Deleting…' : null} onPress={() => void remove()}>
              Delete survey
            </Button>
          </>
        }
      >
        <p className="text-13 text-text-2">
          The survey cannot be restored. Its answers stay, because they are events. Archive it instead to stop it and see its
          answers here.
        </p>
      </Dialog>
    </>
  );
}

/** S saves while there is something to save. */
function useSaveShortcut(perform: (() => void) | null): void {
  const isOffered = perform !== null;
  const latest = useRef(perform);
  latest.current = perform;
  useActions(
    useMemo(
      (): Action[] =>
        isOffered
          ? [{ id: 'save', label: 'Save survey', group: 'This screen', shortcut: 's', perform: () => latest.current?.() }]
          : [],
      [isOffered],
    ),
  );
}
