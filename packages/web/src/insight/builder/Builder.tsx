import { Radio, RadioGroup } from 'react-aria-components';
import { FilterChips } from '../../filter/FilterChips.js';
import { SaveAsCohort } from '../../filter/SaveAsCohort.js';
import { changeKind, KINDS, type Question, type QuestionKind } from '../../query/question.js';
import { Segmented } from '../../ui/Segmented.js';
import { Switch } from '../../ui/Switch.js';
import { KIND_ICONS } from '../kind-icons.js';
import { BreakdownEditor } from './BreakdownEditor.js';
import { FunnelOptions } from './FunnelOptions.js';
import { LessIsBetter } from './LessIsBetter.js';
import { PathsOptions } from './PathsOptions.js';
import { RetentionOptions } from './RetentionOptions.js';
import { Row, Section } from './Section.js';
import { SeriesEditor } from './SeriesEditor.js';
import { SqlEditor } from './SqlEditor.js';

export interface BuilderProps {
  question: Question;
  onChange: (question: Question) => void;
}

/** Builds the question of an insight: its kind, what is counted, filters, breakdown. Each change is asked at once. */
export function Builder({ question, onChange }: BuilderProps) {
  const set = (fields: Partial<Question>) => onChange({ ...question, ...fields });
  const { kind, series = [] } = question;
  const isSql = kind === 'HogQLQuery';
  return (
    <div>
      <div className="border-b border-border p-3.5">
        <KindPicker kind={kind} onChange={(next) => onChange(changeKind(question, next))} />
      </div>
      {isSql && (
        <Section title="Statement">
          <SqlEditor statement={question.query ?? ''} onChange={(query) => set({ query })} />
        </Section>
      )}
      {question.series && (
        <Section title={kind === 'FunnelsQuery' ? 'Steps' : 'Events and actions'}>
          <SeriesEditor
            series={series}
            onChange={(next) => set({ series: next })}
            hasMath={kind === 'TrendsQuery' || kind === 'StickinessQuery'}
            min={kind === 'FunnelsQuery' ? 2 : 1}
            max={kind === 'LifecycleQuery' ? 1 : kind === 'FunnelsQuery' ? 20 : 50}
            isNumbered={kind === 'FunnelsQuery'}
            addLabel={kind === 'FunnelsQuery' ? 'Step' : 'Event'}
          />
        </Section>
      )}
      {kind === 'FunnelsQuery' && <FunnelOptions question={question} onChange={set} />}
      {kind === 'RetentionQuery' && <RetentionOptions question={question} onChange={set} />}
      {kind === 'PathsQuery' && <PathsOptions question={question} onChange={set} />}
      {!isSql && (
        <Section title="Filters for all">
          <FilterChips
            filters={Array.isArray(question.properties) ? question.properties : []}
            onChange={(properties) => set({ properties })}
          />
          <SaveAsCohort filters={Array.isArray(question.properties) ? question.properties : []} />
        </Section>
      )}
      {(kind === 'TrendsQuery' || kind === 'FunnelsQuery' || kind === 'RetentionQuery') && (
        <Section title="Break down by">
          <BreakdownEditor filter={question.breakdownFilter} onChange={(breakdownFilter) => set({ breakdownFilter })} />
        </Section>
      )}
      {!isSql && (
        <Section title="Options">
          {(kind === 'TrendsQuery' || kind === 'StickinessQuery') && (
            <Row label="Compare">
              <Segmented
                label="Compare"
                options={[
                  { value: 'none', label: 'None' },
                  { value: 'previous', label: 'Previous' },
                  { value: '-1y', label: 'Year ago' },
                ]}
                value={!question.compareFilter?.compare ? 'none' : (question.compareFilter.compare_to ?? 'previous')}
                onChange={(to) =>
                  set({
                    compareFilter: to === 'none' ? null : { compare: true, ...(to === 'previous' ? {} : { compare_to: to }) },
                  })
                }
              />
            </Row>
          )}
          <Row label="Leave test accounts out">
            <Switch
              aria-label="Leave test accounts out"
              isSelected={question.filterTestAccounts ?? false}
              onChange={(filterTestAccounts) => set({ filterTestAccounts })}
            />
          </Row>
          {kind === 'TrendsQuery' && (
            <Row label="Smooth by 7 days">
              <Switch
                aria-label="Smooth by 7 days"
                isSelected={question.trendsFilter?.['smoothingIntervals'] === 7}
                onChange={(isSmooth) => set({ trendsFilter: { ...question.trendsFilter, smoothingIntervals: isSmooth ? 7 : 1 } })}
              />
            </Row>
          )}
          {kind === 'TrendsQuery' && <LessIsBetter question={question} onChange={set} />}
        </Section>
      )}
    </div>
  );
}

const KindPicker = ({ kind, onChange }: { kind: QuestionKind; onChange: (kind: QuestionKind) => void }) => (
  <RadioGroup
    aria-label="Kind of question"
    value={kind}
    onChange={(next) => onChange(next as QuestionKind)}
    className="grid grid-cols-4 gap-1"
  >
    {KINDS.map(({ kind: value, label }) => {
      const Icon = KIND_ICONS[value];
      return (
        <Radio
          key={value}
          value={value}
          className="grid min-h-12 cursor-default place-items-center content-center gap-1 rounded-m text-12 font-medium text-text-2 hover:bg-hover data-focus-visible:outline-2 data-focus-visible:outline-focus data-selected:bg-accent-soft data-selected:text-accent-text"
        >
          <Icon size={16} strokeWidth={1.75} aria-hidden />
          {label}
        </Radio>
      );
    })}
  </RadioGroup>
);
