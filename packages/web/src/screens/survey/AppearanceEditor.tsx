import { Checkbox } from '../../ui/Checkbox.js';
import { Segmented } from '../../ui/Segmented.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { Part } from './Part.js';
import type { PartProps } from './TargetingEditor.js';

const POSITIONS = [
  { value: '', label: 'Bottom, at the end of lines' },
  { value: 'left', label: 'Bottom left' },
  { value: 'center', label: 'Bottom center' },
  { value: 'right', label: 'Bottom right' },
  { value: 'middle_left', label: 'Middle left' },
  { value: 'middle_center', label: 'Middle center' },
  { value: 'middle_right', label: 'Middle right' },
  { value: 'top_left', label: 'Top left' },
  { value: 'top_center', label: 'Top center' },
  { value: 'top_right', label: 'Top right' },
];

const COLORS = [
  { name: 'backgroundColor', label: 'Background', example: '#ffffff' },
  { name: 'textColor', label: 'Text', example: '#12181e' },
  { name: 'submitButtonColor', label: 'Button', example: '#0b6b9e' },
  { name: 'ratingButtonActiveColor', label: 'Chosen rating', example: '#0b6b9e' },
] as const;

/** The texts of the appearance, which can be translated, too. */
export const APPEARANCE_TEXTS = [
  { name: 'introScreenHeader', label: 'Heading of the intro' },
  { name: 'introScreenDescription', label: 'Text of the intro' },
  { name: 'introScreenButtonText', label: 'Button of the intro' },
  { name: 'submitButtonText', label: 'Button of questions' },
  { name: 'placeholder', label: 'Words in an empty text' },
  { name: 'thankYouMessageHeader', label: 'Heading of the thanks' },
  { name: 'thankYouMessageDescription', label: 'Text of the thanks' },
  { name: 'thankYouMessageCloseButtonText', label: 'Button of the thanks' },
] as const;

/** How the widget looks, and what it says around the questions. */
export function AppearanceEditor({ draft, edit }: PartProps) {
  const { appearance } = draft;
  const text = (name: string): string =>
    appearance[name] === undefined || appearance[name] === null ? '' : String(appearance[name]);
  const set = (name: string, value: unknown) => {
    const { [name]: _before, ...rest } = appearance;
    edit({ appearance: value === '' || value === undefined ? rest : { ...rest, [name]: value } });
  };
  const isOn = (name: string, byDefault = false): boolean =>
    appearance[name] === undefined ? byDefault : appearance[name] === true;
  const field = (name: string, label: string, placeholder?: string) => (
    <TextField
      key={name}
      label={label}
      {...(placeholder !== undefined && { placeholder })}
      value={text(name)}
      onChange={(value) => set(name, value)}
    />
  );
  const labels = new Map(APPEARANCE_TEXTS.map(({ name, label }) => [name as string, label]));
  const texts = (...names: string[]) => names.map((name) => field(name, labels.get(name) ?? name));
  return (
    <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-5">
      <Part title="Place and colors">
        <div className="flex flex-wrap items-end gap-3">
          <div className="w-56">
            <Select label="Place" options={POSITIONS} value={text('position')} onChange={(value) => set('position', value)} />
          </div>
          <Segmented
            label="Theme"
            options={[
              { value: 'system', label: 'As the visitor set' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
            value={appearance['theme'] === 'light' || appearance['theme'] === 'dark' ? appearance['theme'] : 'system'}
            onChange={(theme) => set('theme', theme === 'system' ? undefined : theme)}
          />
        </div>
        <div className="grid grid-cols-4 gap-2 max-sm:grid-cols-2">
          {COLORS.map(({ name, label, example }) => field(name, label, example))}
          {field('borderRadius', 'Round corners', '12px')}
          {field('maxWidth', 'Width', '360px')}
          {field('fontFamily', 'Font', 'system-ui')}
          <TextField
            label="Waits, in seconds"
            inputMode="numeric"
            placeholder="0"
            value={text('surveyPopupDelaySeconds')}
            onChange={(value) =>
              /^\d{0,5}$/.test(value) && set('surveyPopupDelaySeconds', value === '' ? undefined : Number(value))
            }
          />
        </div>
      </Part>
      <Part title="Questions">
        <div className="grid grid-cols-2 gap-2 max-sm:grid-cols-1">{texts('submitButtonText', 'placeholder')}</div>
        <Checkbox isSelected={isOn('hideCancelButton')} onChange={(isIn) => set('hideCancelButton', isIn || undefined)}>
          Without a button to close
        </Checkbox>
        <Checkbox isSelected={isOn('allowGoBack')} onChange={(isIn) => set('allowGoBack', isIn || undefined)}>
          People can go back to the question before
        </Checkbox>
        <Checkbox isSelected={isOn('shuffleQuestions')} onChange={(isIn) => set('shuffleQuestions', isIn || undefined)}>
          Questions in a random order
        </Checkbox>
      </Part>
      <Part title="Before and after">
        <Checkbox isSelected={isOn('displayIntroScreen')} onChange={(isIn) => set('displayIntroScreen', isIn || undefined)}>
          An intro before the questions
        </Checkbox>
        {isOn('displayIntroScreen') && (
          <div className="grid gap-2">{texts('introScreenHeader', 'introScreenDescription', 'introScreenButtonText')}</div>
        )}
        <Checkbox
          isSelected={isOn('displayThankYouMessage', true)}
          onChange={(isIn) => set('displayThankYouMessage', isIn ? undefined : false)}
        >
          Thanks after the last answer
        </Checkbox>
        {isOn('displayThankYouMessage', true) && (
          <div className="grid gap-2">
            {texts('thankYouMessageHeader', 'thankYouMessageDescription', 'thankYouMessageCloseButtonText')}
          </div>
        )}
        <Checkbox isSelected={isOn('autoDisappear')} onChange={(isIn) => set('autoDisappear', isIn || undefined)}>
          The thanks close by themselves
        </Checkbox>
      </Part>
    </div>
  );
}
