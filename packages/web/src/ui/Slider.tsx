import { Slider as AriaSlider, SliderThumb, SliderTrack } from 'react-aria-components';

export interface SliderProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  min?: number;
  max?: number;
  isDisabled?: boolean;
}

/** Chooses a number by dragging or by arrow keys. Beside it stands a field for the exact number. */
export const Slider = ({ label, value, onChange, min = 0, max = 100, isDisabled = false }: SliderProps) => (
  <AriaSlider
    aria-label={label}
    value={value}
    onChange={(next) => onChange(Array.isArray(next) ? (next[0] ?? min) : (next as number))}
    minValue={min}
    maxValue={max}
    isDisabled={isDisabled}
    className="mx-2 min-w-24 flex-1 data-disabled:opacity-60"
  >
    <SliderTrack className="relative flex h-7 items-center pointer-coarse:h-11">
      {({ state }) => (
        <>
          <span className="h-1 w-full rounded-full bg-border-strong" />
          <span className="absolute h-1 rounded-full bg-accent" style={{ width: `${state.getThumbPercent(0) * 100}%` }} />
          <SliderThumb className="top-1/2 size-4 rounded-full border-2 border-accent bg-surface data-focus-visible:outline-2 data-focus-visible:outline-offset-2 data-focus-visible:outline-focus" />
        </>
      )}
    </SliderTrack>
  </AriaSlider>
);
