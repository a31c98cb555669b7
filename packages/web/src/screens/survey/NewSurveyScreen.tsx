import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { useStoredDraft } from '../../data/stored-draft.js';
import { createSurvey, noteSurvey } from '../../data/surveys.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { PageHead } from '../../ui/PageHead.js';
import { Refused } from '../../ui/Refused.js';
import { NoPermission } from '../../ui/states.js';
import { Tabs } from '../../ui/Tabs.js';
import { draftOf, faultsOf, fieldsOf, hasFaults } from './draft.js';
import { editorTabs } from './Editor.js';
import { Preview } from './Preview.js';
import type { SurveyTab } from './route.js';

const route = getRouteApi('/p/$project/surveys/new');

/** A survey that is not there yet. */
export function NewSurveyScreen() {
  const project = useProjectId();
  const { tab = 'questions' } = route.useSearch();
  const mayCreate = useMayCreate('survey');
  const clean = useMemo(() => draftOf(null), []);
  const { draft, isChanged, edit, discard } = useStoredDraft(`survey-draft:${project}:new`, clean);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const faults = faultsOf(draft);
  const head = { crumb: <Link to={`/p/${project}/surveys` as string}>Surveys</Link>, title: 'New survey' };
  const create = async (): Promise<void> => {
    setSaving(true);
    setRefusal(null);
    try {
      const made = await createSurvey(project, fieldsOf(draft));
      discard();
      await noteSurvey(queries, project, made);
      await navigate({ to: `/p/${project}/surveys/${made.id}` as string, replace: true });
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    } finally {
      setSaving(false);
    }
  };
  if (!mayCreate)
    return (
      <>
        <PageHead {...head} />
        <NoPermission verb="create" what="surveys" needs="Somebody who manages access to the project can let you." />
      </>
    );
  return (
    <>
      <PageHead
        {...head}
        badges={isChanged && <Badge kind="warn">Not created yet</Badge>}
        actions={
          <>
            {isChanged && (
              <Button kind="quiet" onPress={discard}>
                Discard
              </Button>
            )}
            <Button
              kind="primary"
              isDisabled={hasFaults(faults)}
              busyLabel={isSaving ? 'Creating…' : null}
              onPress={() => void create()}
            >
              Create survey
            </Button>
          </>
        }
      />
      <div className="relative flex min-h-0 flex-1 max-lg:block max-lg:overflow-y-auto">
        <div className="relative min-w-0 flex-1 overflow-y-auto p-6 max-lg:overflow-visible max-sm:p-4">
          {refusal && <Refused message={refusal} />}
          <Tabs<SurveyTab>
            label="Parts of the survey"
            selected={tab === 'answers' ? 'questions' : tab}
            onSelect={(next) => void navigate({ to: '.', search: { tab: next } as never, replace: true })}
            tabs={editorTabs({ draft, faults, edit })}
          />
        </div>
        <aside
          aria-label="Preview"
          className="w-[400px] shrink-0 overflow-y-auto border-l border-border bg-surface p-4 max-lg:w-full max-lg:overflow-visible max-lg:border-t max-lg:border-l-0"
        >
          <Preview draft={draft} />
        </aside>
      </div>
    </>
  );
}
