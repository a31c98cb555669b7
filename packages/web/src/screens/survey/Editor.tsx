import { Card } from '../../ui/Card.js';
import { TextField } from '../../ui/TextField.js';
import { AppearanceEditor } from './AppearanceEditor.js';
import type { DraftFaults, SurveyDraft } from './draft.js';
import { QuestionsEditor } from './QuestionEditor.js';
import type { SurveyTab } from './route.js';
import { TargetingEditor } from './TargetingEditor.js';
import { TranslationsEditor } from './TranslationsEditor.js';

export interface EditorProps {
  draft: SurveyDraft;
  faults: DraftFaults;
  edit: (change: Partial<SurveyDraft>) => void;
}

/** The tabs of the editor. */
export const editorTabs = ({ draft, faults, edit }: EditorProps) =>
  [
    {
      id: 'questions' as const,
      label: 'Questions',
      content: () => (
        <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-3">
          <div className="grid gap-2">
            <TextField label="Name" value={draft.name} placeholder="After checkout" onChange={(name) => edit({ name })} />
            <TextField
              label="What it is for"
              value={draft.description}
              placeholder="If you like; visitors do not see it"
              onChange={(description) => edit({ description })}
            />
          </div>
          <QuestionsEditor questions={draft.questions} faults={faults.question} onChange={(questions) => edit({ questions })} />
          {faults.questions && <p className="text-12 text-bad">{faults.questions}</p>}
        </div>
      ),
    },
    {
      id: 'targeting' as const,
      label: 'Targeting',
      content: () => <TargetingEditor draft={draft} edit={edit} fault={faults.targeting} />,
    },
    { id: 'appearance' as const, label: 'Appearance', content: () => <AppearanceEditor draft={draft} edit={edit} /> },
    { id: 'translations' as const, label: 'Translations', content: () => <TranslationsEditor draft={draft} edit={edit} /> },
  ] satisfies { id: SurveyTab; label: string; content: () => unknown }[];

/** What a survey is, for people who may not change it. */
export const Summary = ({ draft }: { draft: SurveyDraft }) => (
  <Card className="max-w-3xl">
    <ol className="divide-y divide-border">
      {draft.questions.map(({ key, question, description, choices, isOptional }) => (
        <li key={key} className="px-4 py-3">
          <p className="text-13 font-medium wrap-anywhere">{question}</p>
          <p className="text-12 text-text-2 wrap-anywhere">
            {[description, choices.join(', '), isOptional ? 'Can be skipped' : ''].filter(Boolean).join('. ')}
          </p>
        </li>
      ))}
    </ol>
  </Card>
);
