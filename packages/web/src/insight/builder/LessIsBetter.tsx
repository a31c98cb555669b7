import { ToggleButton } from 'react-aria-components';
import { type Question, seriesLetter } from '../../query/question.js';
import { Switch } from '../../ui/Switch.js';
import { Row } from './Section.js';

const LABEL = 'Less is better';

/** A series or a formula of a trend. */
type Line = Record<string, unknown>;

/** Says of which lines of a trend a rise is bad, such as errors: changes have their colors the other way around. */
export function LessIsBetter({ question, onChange }: { question: Question; onChange: (fields: Partial<Question>) => void }) {
  const { trendsFilter, series = [] } = question;
  const filter: Line = trendsFilter ?? {};
  const isBad = (line: Line) => (line['isIncreaseBad'] ?? filter['isIncreaseBad'] ?? isLoadingTime(filter)) === true;
  const formulas = linesOf(filter['formulaNodes']);
  const hasUnnamedFormulas = formulas.length === 0 && (filter['formula'] || linesOf(filter['formulas']).length > 0);
  if (hasUnnamedFormulas) {
    return (
      <OneSwitch isSelected={isBad({})} onChange={(isIncreaseBad) => onChange({ trendsFilter: { ...filter, isIncreaseBad } })} />
    );
  }
  const lines: readonly Line[] = formulas.length > 0 ? formulas : series;
  const set = (index: number, isIncreaseBad: boolean) => {
    const changed = <One extends Line>(all: readonly One[]) =>
      all.map((one, i) => (i === index ? { ...one, isIncreaseBad } : one));
    onChange(
      formulas.length > 0 ? { trendsFilter: { ...filter, formulaNodes: changed(formulas) } } : { series: changed(series) },
    );
  };
  const [only] = lines;
  if (only && lines.length === 1) return <OneSwitch isSelected={isBad(only)} onChange={(isSelected) => set(0, isSelected)} />;
  return (
    <Row label={LABEL}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a frame of its own */}
      <div role="group" aria-label={LABEL} className="flex flex-wrap justify-end gap-1">
        {lines.map((line, index) => {
          const name = formulas.length > 0 ? String(index + 1) : seriesLetter(index);
          return (
            <ToggleButton
              // biome-ignore lint/suspicious/noArrayIndexKey: series have no identity of their own
              key={index}
              aria-label={`${formulas.length > 0 ? 'Formula' : 'Series'} ${name}`}
              isSelected={isBad(line)}
              onChange={(isSelected) => set(index, isSelected)}
              className="grid size-6 cursor-default place-items-center rounded-s bg-sunken text-12 text-text-2 data-focus-visible:outline-2 data-focus-visible:outline-focus data-selected:bg-accent-soft data-selected:font-medium data-selected:text-accent-text pointer-coarse:size-10"
            >
              {name}
            </ToggleButton>
          );
        })}
      </div>
    </Row>
  );
}

const OneSwitch = (props: { isSelected: boolean; onChange: (isSelected: boolean) => void }) => (
  <Row label={LABEL}>
    <Switch aria-label={LABEL} {...props} />
  </Row>
);

/** Numbers that are written as milliseconds are loading times. */
const isLoadingTime = (filter: Line): boolean => filter['aggregationAxisFormat'] === 'duration_ms';

const linesOf = (value: unknown): Line[] => (Array.isArray(value) ? (value as Line[]) : []);
