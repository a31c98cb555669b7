import { CalendarDays, Check } from 'lucide-react';
import { useState } from 'react';
import { Button, Dialog, DialogTrigger } from 'react-aria-components';
import { type DateRange, RANGE_PRESETS, rangeLabel } from '../address/date-range.js';
import { useProject } from '../app/project-context.js';
import { buttonClass, Button as UiButton } from '../ui/Button.js';
import { POP_ROW, Pop } from '../ui/Pop.js';
import { TextField } from '../ui/TextField.js';

export interface DateRangePickerProps {
  /** Null: none is chosen. */
  range: DateRange | null;
  /** What the control says without a range. */
  noRange?: string;
  onChange: (range: DateRange) => void;
}

/** Chooses a range of days: presets with their keys at the left, typed days at the right. */
export function DateRangePicker({ range, noRange = 'Any time', onChange }: DateRangePickerProps) {
  const [isOpen, setOpen] = useState(false);
  const { timezone } = useProject();
  const label = range ? rangeLabel(range) : noRange;
  const [typed, setTyped] = useState({ from: '', to: '' });
  const choose = (next: DateRange) => {
    setOpen(false);
    onChange(next);
  };
  const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button aria-label={`Dates: ${label}`} className={buttonClass('plain', true)} data-shortcut="d">
        <CalendarDays size={14} aria-hidden />
        {label}
      </Button>
      <Pop>
        <Dialog aria-label="Dates" className="outline-none">
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the presets, which are buttons too */}
          <div
            className="flex max-sm:flex-col"
            onKeyDown={(event) => {
              if (event.target instanceof HTMLInputElement) return;
              const preset = RANGE_PRESETS.find(({ key }) => key.toLowerCase() === event.key.toLowerCase());
              if (preset) choose(preset.range);
            }}
          >
            <ul className="w-52">
              {RANGE_PRESETS.map(({ key, label: presetLabel, range: preset }) => {
                const isChosen = label === presetLabel;
                return (
                  <li key={key}>
                    <Button onPress={() => choose(preset)} className={`${POP_ROW} w-full hover:bg-accent-soft`}>
                      <Check size={14} aria-hidden className={isChosen ? 'text-accent' : 'invisible'} />
                      <span className="flex-1 text-left">{presetLabel}</span>
                      <kbd className="font-sans text-11 text-text-3">{key}</kbd>
                    </Button>
                  </li>
                );
              })}
            </ul>
            <div className="grid w-52 content-start gap-3 border-l border-border p-3 max-sm:border-t max-sm:border-l-0">
              <TextField label="First day" type="date" value={typed.from} onChange={(from) => setTyped({ ...typed, from })} />
              <TextField
                label="Last day"
                type="date"
                value={typed.to}
                onChange={(to) => setTyped({ ...typed, to })}
                help={`Days begin at midnight in ${timezone}`}
              />
              <UiButton
                isDisabled={!isDay(typed.from) || (typed.to !== '' && (!isDay(typed.to) || typed.to < typed.from))}
                onPress={() => choose({ from: typed.from, to: typed.to || null })}
              >
                Use these days
              </UiButton>
            </div>
          </div>
        </Dialog>
      </Pop>
    </DialogTrigger>
  );
}
