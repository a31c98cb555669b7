import type { Question } from '../../query/question.js';
import { Checkbox } from '../../ui/Checkbox.js';
import { Segmented } from '../../ui/Segmented.js';
import { TextField } from '../../ui/TextField.js';
import { Row, Section } from './Section.js';

const STEPS = [
  { value: '$pageview', label: 'Page views' },
  { value: '$screen', label: 'Screens' },
  { value: 'custom_event', label: 'Own events' },
];

/** What counts as a step, where paths begin or end, and how far they go. */
export function PathsOptions({ question, onChange }: { question: Question; onChange: (fields: Partial<Question>) => void }) {
  const filter = question.pathsFilter ?? {};
  const set = (fields: Record<string, unknown>) => onChange({ pathsFilter: { ...filter, ...fields } });
  const types = (filter['includeEventTypes'] as string[] | null | undefined) ?? ['$pageview'];
  const hasEnd = Boolean(filter['endPoint']);
  return (
    <>
      <Section title="Steps are">
        {STEPS.map(({ value, label }) => (
          <Checkbox
            key={value}
            isSelected={types.includes(value)}
            isDisabled={types.length === 1 && types[0] === value}
            onChange={(isIn) => set({ includeEventTypes: isIn ? [...types, value] : types.filter((one) => one !== value) })}
          >
            {label}
          </Checkbox>
        ))}
      </Section>
      <Section title="Paths that">
        <Segmented
          label="Direction"
          options={[
            { value: 'start', label: 'begin at' },
            { value: 'end', label: 'end at' },
          ]}
          value={hasEnd ? 'end' : 'start'}
          onChange={(side) => {
            const point = filter['startPoint'] ?? filter['endPoint'] ?? '';
            set(side === 'end' ? { startPoint: null, endPoint: point || '/' } : { startPoint: point, endPoint: null });
          }}
        />
        <TextField
          label="Page or event"
          hideLabel
          placeholder="/pricing"
          value={String(filter['endPoint'] ?? filter['startPoint'] ?? '')}
          onChange={(point) => set(hasEnd ? { endPoint: point } : { startPoint: point || null })}
          help="A path such as /pricing, or the name of an event. Empty: anywhere."
        />
        <Row label="Steps at most">
          <Segmented
            label="Steps at most"
            options={['3', '5', '7', '10'].map((value) => ({ value, label: value }))}
            value={String(filter['stepLimit'] ?? 5)}
            onChange={(stepLimit) => set({ stepLimit: Number(stepLimit) })}
          />
        </Row>
      </Section>
    </>
  );
}
