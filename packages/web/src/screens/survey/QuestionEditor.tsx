import { ArrowDown, ArrowUp, Copy, Plus, Trash2 } from 'lucide-react';
import { Button } from '../../ui/Button.js';
import { Checkbox } from '../../ui/Checkbox.js';
import { IconButton } from '../../ui/IconButton.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { branchesOf, newQuestion, nextKey, type QuestionDraft, type QuestionKind, type Target } from './draft.js';

export const KINDS: readonly { value: QuestionKind; label: string }[] = [
  { value: 'open', label: 'Text' },
  { value: 'rating', label: 'Rating' },
  { value: 'nps', label: 'NPS, 0 to 10' },
  { value: 'single_choice', label: 'One choice' },
  { value: 'multiple_choice', label: 'Several choices' },
  { value: 'link', label: 'Link' },
];

const DISPLAYS = [
  { value: 'number', label: 'Numbers' },
  { value: 'emoji', label: 'Emoji' },
  { value: 'stars', label: 'Stars' },
] as const;

/** Scales by display: there are no emoji for ten. */
const scalesOf = (display: QuestionDraft['display']) =>
  [2, 3, 5, 7, 10]
    .filter((scale) => (display === 'emoji' ? scale < 10 : display === 'stars' ? scale > 2 : scale !== 10))
    .map((scale) => ({ value: String(scale), label: display === 'emoji' && scale === 2 ? 'thumbs' : `1 to ${scale}` }));

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

interface QuestionFieldsProps {
  question: QuestionDraft;
  /** From 1. */
  number: number;
  questions: readonly QuestionDraft[];
  onChange: (change: Partial<QuestionDraft>) => void;
}

function QuestionFields({ question, number, questions, onChange }: QuestionFieldsProps) {
  const { kind, display, choices } = question;
  const isRating = kind === 'rating' || kind === 'nps';
  const isChoice = kind === 'single_choice' || kind === 'multiple_choice';
  return (
    <div className="mt-2 grid gap-2">
      <TextField
        label={`Question ${number}`}
        value={question.question}
        placeholder="How easy was it?"
        onChange={(text) => onChange({ question: text })}
      />
      <TextField
        label={`Description of question ${number}`}
        value={question.description}
        placeholder="If you like"
        onChange={(description) => onChange({ description })}
      />
      {kind === 'link' && (
        <TextField label={`Address of question ${number}`} isMono value={question.link} onChange={(link) => onChange({ link })} />
      )}
      {kind === 'rating' && (
        <div className="flex flex-wrap gap-2">
          <div className="w-36">
            <Select
              label={`Shown as, question ${number}`}
              options={DISPLAYS}
              value={display}
              onChange={(next) =>
                onChange({
                  display: next,
                  ...(!scalesOf(next).some(({ value }) => Number(value) === question.scale) && { scale: 5 }),
                })
              }
            />
          </div>
          <div className="w-36">
            <Select
              label={`Scale of question ${number}`}
              options={scalesOf(display)}
              value={String(question.scale)}
              onChange={(scale) => onChange({ scale: Number(scale) })}
            />
          </div>
        </div>
      )}
      {isRating && (
        <div className="grid grid-cols-2 gap-2">
          <TextField
            label={`Lowest of question ${number} means`}
            placeholder="Hard"
            value={question.lowest}
            onChange={(lowest) => onChange({ lowest })}
          />
          <TextField
            label={`Highest of question ${number} means`}
            placeholder="Easy"
            value={question.highest}
            onChange={(highest) => onChange({ highest })}
          />
        </div>
      )}
      {isChoice && (
        <div className="grid gap-1.5">
          {choices.map((choice, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: choices have no identity but their place
            <div key={index} className="grid grid-cols-[minmax(0,1fr)_28px] items-center gap-2">
              <TextField
                label={`Choice ${index + 1} of question ${number}`}
                hideLabel
                value={choice}
                onChange={(text) => onChange({ choices: choices.map((one, i) => (i === index ? text : one)) })}
              />
              <IconButton
                isSmall
                label={`Remove choice ${index + 1} of question ${number}`}
                onPress={() => onChange({ choices: choices.filter((_, i) => i !== index) })}
              >
                <Trash2 size={14} aria-hidden />
              </IconButton>
            </div>
          ))}
          <div className="flex flex-wrap items-center gap-3">
            <Button
              isSmall
              kind="quiet"
              icon={<Plus size={14} aria-hidden />}
              onPress={() => onChange({ choices: [...choices, ''] })}
            >
              Choice
            </Button>
            <Checkbox isSelected={question.hasOpenChoice} onChange={(hasOpenChoice) => onChange({ hasOpenChoice })}>
              The last choice is one's own text
            </Checkbox>
            <Checkbox isSelected={question.shuffles} onChange={(shuffles) => onChange({ shuffles })}>
              Random order
            </Checkbox>
          </div>
        </div>
      )}
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-44">
          <TextField
            label={`Button of question ${number}`}
            placeholder="Submit"
            value={question.buttonText}
            onChange={(buttonText) => onChange({ buttonText })}
          />
        </div>
        <div className="flex h-control items-center">
          <Checkbox isSelected={question.isOptional} onChange={(isOptional) => onChange({ isOptional })}>
            Can be skipped
          </Checkbox>
        </div>
      </div>
      <BranchingEditor question={question} number={number} questions={questions} onChange={onChange} />
    </div>
  );
}

/** Which question is next, for all answers or by the answer. */
function BranchingEditor({ question, number, questions, onChange }: QuestionFieldsProps) {
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
