import { ArrowDown, ArrowUp, Copy, Plus, Trash2 } from 'lucide-react';
import { Button } from '../../ui/Button.js';
import { IconButton } from '../../ui/IconButton.js';
import { Select } from '../../ui/Select.js';
import { newQuestion, nextKey, type QuestionDraft, type QuestionKind } from './draft.js';
import { QuestionFields } from './QuestionFields.js';

export const KINDS: readonly { value: QuestionKind; label: string }[] = [
  { value: 'open', label: 'Text' },
  { value: 'rating', label: 'Rating' },
  { value: 'nps', label: 'NPS, 0 to 10' },
  { value: 'single_choice', label: 'One choice' },
  { value: 'multiple_choice', label: 'Several choices' },
  { value: 'link', label: 'Link' },
];

export interface QuestionsEditorProps {
  questions: readonly QuestionDraft[];
  faults: ReadonlyMap<number, string>;
  onChange: (questions: QuestionDraft[]) => void;
}

/** The questions of a survey, in order. */
export function QuestionsEditor({ questions, faults, onChange }: QuestionsEditorProps) {
  const change = (key: number, next: Partial<QuestionDraft>) =>
    onChange(questions.map((one) => (one.key === key ? { ...one, ...next } : one)));
  const move = (index: number, by: -1 | 1) => {
    const next = [...questions];
    const [moved] = next.splice(index, 1);
    if (moved) next.splice(index + by, 0, moved);
    onChange(next);
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {questions.map((question, index) => (
          <li
            key={question.key}
            className="rounded-l border border-border bg-surface p-3 pl-4 shadow-card focus-within:border-accent-line"
          >
            <div className="flex flex-wrap items-end gap-2">
              <span className="tnum grid h-control min-w-5 place-items-center text-12 text-text-2">{index + 1}</span>
              <div className="w-44">
                <Select
                  label={`Kind of question ${index + 1}`}
                  options={KINDS}
                  value={question.kind}
                  onChange={(kind) => change(question.key, ofKind(question, kind))}
                />
              </div>
              <span className="flex-1" />
              <span className="flex">
                <IconButton
                  isSmall
                  label={`Move question ${index + 1} up`}
                  isDisabled={index === 0}
                  onPress={() => move(index, -1)}
                >
                  <ArrowUp size={14} aria-hidden />
                </IconButton>
                <IconButton
                  isSmall
                  label={`Move question ${index + 1} down`}
                  isDisabled={index === questions.length - 1}
                  onPress={() => move(index, 1)}
                >
                  <ArrowDown size={14} aria-hidden />
                </IconButton>
                <IconButton
                  isSmall
                  label={`Duplicate question ${index + 1}`}
                  onPress={() => onChange([...questions, { ...question, key: nextKey(questions), id: null }])}
                >
                  <Copy size={14} aria-hidden />
                </IconButton>
                <IconButton
                  isSmall
                  label={`Remove question ${index + 1}`}
                  onPress={() => onChange(questions.filter(({ key }) => key !== question.key))}
                >
                  <Trash2 size={14} aria-hidden />
                </IconButton>
              </span>
            </div>
            <QuestionFields
              question={question}
              number={index + 1}
              questions={questions}
              onChange={(next) => change(question.key, next)}
            />
            {faults.has(question.key) && <p className="mt-2 text-12 text-bad">{faults.get(question.key)}</p>}
          </li>
        ))}
      </ol>
      <div>
        <Button
          icon={<Plus size={14} aria-hidden />}
          onPress={() => onChange([...questions, newQuestion('open', nextKey(questions))])}
        >
          Add question
        </Button>
      </div>
    </div>
  );
}

/** What changes with the kind; texts stay. */
function ofKind(question: QuestionDraft, kind: QuestionKind): Partial<QuestionDraft> {
  const fresh = newQuestion(kind, question.key);
  const isChoice = kind === 'single_choice' || kind === 'multiple_choice';
  return {
    kind,
    question: question.question || fresh.question,
    scale: fresh.scale,
    lowest: question.lowest || fresh.lowest,
    highest: question.highest || fresh.highest,
    link: question.link || fresh.link,
    choices: isChoice && question.choices.length > 0 ? question.choices : fresh.choices,
    branching: { ...question.branching, isByAnswer: false, byAnswer: {} },
  };
}
