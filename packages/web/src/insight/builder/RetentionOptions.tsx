import { EventPicker } from '../../filter/EventPicker.js';
import type { Question } from '../../query/question.js';
import { Segmented } from '../../ui/Segmented.js';
import { Select } from '../../ui/Select.js';
import { TextField } from '../../ui/TextField.js';
import { Row, Section } from './Section.js';

interface Entity {
  id?: string | null;
  type?: string;
}

/** What people begin with, what they come back for, and in which periods. */
export function RetentionOptions({ question, onChange }: { question: Question; onChange: (fields: Partial<Question>) => void }) {
  const filter = question.retentionFilter ?? {};
  const set = (fields: Record<string, unknown>) => onChange({ retentionFilter: { ...filter, ...fields } });
  const entity = (name: string) => (filter[name] as Entity | null | undefined)?.id ?? null;
  return (
    <>
      <Section title="People who did">
        <EventPicker
          label="Begins with"
          event={entity('targetEntity')}
          onChange={(id) => set({ targetEntity: { id, type: 'events' } })}
        />
        <Segmented
          label="Counted"
          options={[
            { value: 'retention_first_time', label: 'for the first time' },
            { value: 'retention_recurring', label: 'at any time' },
          ]}
          value={String(filter['retentionType'] ?? 'retention_first_time')}
          onChange={(retentionType) => set({ retentionType })}
        />
      </Section>
      <Section title="And came back to do">
        <EventPicker
          label="Comes back for"
          event={entity('returningEntity')}
          onChange={(id) => set({ returningEntity: { id, type: 'events' } })}
        />
      </Section>
      <Section title="Periods">
        <Row label="Each">
          <div className="w-40">
            <Select
              label="Length of a period"
              hideLabel
              options={['Hour', 'Day', 'Week', 'Month'].map((value) => ({ value, label: value }))}
              value={String(filter['period'] ?? 'Day')}
              onChange={(period) => set({ period })}
            />
          </div>
        </Row>
        <Row label="How many">
          <div className="w-40">
            <TextField
              label="How many periods"
              hideLabel
              type="number"
              value={String(filter['totalIntervals'] ?? 8)}
              onChange={(text) => Number(text) >= 1 && Number(text) <= 31 && set({ totalIntervals: Math.round(Number(text)) })}
            />
          </div>
        </Row>
      </Section>
    </>
  );
}
