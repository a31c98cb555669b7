import { Plus, Trash2 } from 'lucide-react';
import { Button } from '../../ui/Button.js';
import { Checkbox } from '../../ui/Checkbox.js';
import { IconButton } from '../../ui/IconButton.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { BranchingEditor, type QuestionFieldsProps } from './BranchingEditor.js';
import type { QuestionDraft } from './draft.js';

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

/** What is asked, and how it is answered. */
export function QuestionFields({ question, number, questions, onChange }: QuestionFieldsProps) {
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
