import { Select } from '../../ui/Select.js';
import { branchesOf, type QuestionDraft, type Target } from './draft.js';

export interface QuestionFieldsProps {
  question: QuestionDraft;
  /** From 1. */
  number: number;
  questions: readonly QuestionDraft[];
  onChange: (change: Partial<QuestionDraft>) => void;
}

/** Which question is next, for all answers or by the answer. */
export function BranchingEditor({ question, number, questions, onChange }: QuestionFieldsProps) {
  const { branching } = question;
  const branches = branchesOf(question);
  const targets = [
    { value: 'next', label: 'the next question' },
    { value: 'end', label: 'the end' },
    ...questions
      .filter(({ key }) => key !== question.key)
      .map((one) => ({
        value: String(one.key),
        label: `question ${questions.indexOf(one) + 1}: ${one.question.slice(0, 40) || 'without words'}`,
      })),
  ];
  const textOf = (target: Target): string => {
    const value = String(target);
    return targets.some((one) => one.value === value) ? value : 'next';
  };
  const read = (value: string): Target => (value === 'next' || value === 'end' ? value : Number(value));
  return (
    <div className="grid gap-2">
      <div className="w-72 max-w-full">
        <Select
          label={`After question ${number}`}
          options={[...targets, ...(branches.length > 0 ? [{ value: 'answer', label: 'it depends on the answer' }] : [])]}
          value={branching.isByAnswer ? 'answer' : textOf(branching.target)}
          onChange={(value) =>
            onChange({
              branching:
                value === 'answer'
                  ? { ...branching, isByAnswer: true }
                  : { ...branching, isByAnswer: false, target: read(value) },
            })
          }
        />
      </div>
      {branching.isByAnswer && (
        <ul className="grid gap-1.5">
          {branches.map(({ answer, label }) => (
            <li key={answer} className="flex flex-wrap items-center gap-2">
              <span className="w-32 truncate text-13">{label}</span>
              <div className="w-72 max-w-full">
                <Select
                  label={`After “${label}” of question ${number}`}
                  hideLabel
                  options={targets}
                  value={textOf(branching.byAnswer[answer] ?? 'next')}
                  onChange={(value) =>
                    onChange({ branching: { ...branching, byAnswer: { ...branching.byAnswer, [answer]: read(value) } } })
                  }
                />
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
