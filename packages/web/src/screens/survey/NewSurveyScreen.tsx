import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { NewObject } from '../../app/NewObject.js';
import { useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { useStoredDraft } from '../../data/stored-draft.js';
import { createSurvey, noteSurvey } from '../../data/surveys.js';
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
  const set = useSearchChange<{ tab: SurveyTab }>();
  const clean = useMemo(() => draftOf(null), []);
  const { draft, isChanged, edit, discard } = useStoredDraft(`survey-draft:${project}:new`, clean);
  const queries = useQueryClient();
  const faults = faultsOf(draft);
  const create = async () => {
    const made = await createSurvey(project, fieldsOf(draft));
    await noteSurvey(queries, project, made);
    return made.id;
  };
  return (
    <NewObject
      one="survey"
      many="surveys"
      isChanged={isChanged}
      discard={discard}
      isWrong={hasFaults(faults)}
      create={create}
      aside={{ label: 'Preview', width: 'w-[400px]', content: <Preview draft={draft} /> }}
    >
      <Tabs<SurveyTab>
        label="Parts of the survey"
        selected={tab === 'answers' ? 'questions' : tab}
        onSelect={(next) => set({ tab: next })}
        tabs={editorTabs({ draft, faults, edit })}
      />
    </NewObject>
  );
}
