import type { Question } from '../../query/question.js';
import { Segmented } from '../../ui/Segmented.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { Row, Section } from './Section.js';

const UNITS = ['minute', 'hour', 'day', 'week', 'month'].map((value) => ({ value, label: `${value}s` }));

/** Order of the steps, the time that people have, and how the funnel is shown. */
export function FunnelOptions({ question, onChange }: { question: Question; onChange: (fields: Partial<Question>) => void }) {
  const filter = question.funnelsFilter ?? {};
  const set = (fields: Record<string, unknown>) => onChange({ funnelsFilter: { ...filter, ...fields } });
  return (
    <Section title="Conversion">
      <Row label="Shown as">
        <Segmented
          label="Shown as"
          options={[
            { value: 'steps', label: 'Steps' },
            { value: 'trends', label: 'Over time' },
            { value: 'time_to_convert', label: 'Duration' },
          ]}
          value={String(filter['funnelVizType'] ?? 'steps')}
          onChange={(funnelVizType) => set({ funnelVizType })}
        />
      </Row>
      <Row label="Steps happen">
        <div className="w-40">
          <Select
            label="Order of the steps"
            hideLabel
            isSmall
            options={[
              { value: 'ordered', label: 'in this order' },
              { value: 'strict', label: 'directly in turn' },
              { value: 'unordered', label: 'in any order' },
            ]}
            value={String(filter['funnelOrderType'] ?? 'ordered')}
            onChange={(funnelOrderType) => set({ funnelOrderType })}
          />
        </div>
      </Row>
      <Row label="Within">
        <div className="grid w-40 grid-cols-[56px_1fr] gap-1.5">
          <TextField
            label="Number"
            hideLabel
            type="number"
            value={String(filter['funnelWindowInterval'] ?? 14)}
            onChange={(text) => Number(text) > 0 && set({ funnelWindowInterval: Math.round(Number(text)) })}
          />
          <Select
            label="Unit"
            hideLabel
            options={UNITS}
            value={String(filter['funnelWindowIntervalUnit'] ?? 'day')}
            onChange={(funnelWindowIntervalUnit) => set({ funnelWindowIntervalUnit })}
          />
        </div>
      </Row>
    </Section>
  );
}
