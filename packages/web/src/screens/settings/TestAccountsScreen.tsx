import { useState } from 'react';
import { FilterChips } from '../../filter/FilterChips.js';
import { takesOf } from '../../query/filter-text.js';
import type { Filter } from '../../query/question.js';
import { Rows, SwitchRow, useSettings } from './rows.js';
import { Reason, Section, SettingsPage } from './SettingsPage.js';

/** Whether a filter has all that a question needs. A chip that was just added has no value yet. */
const isWhole = ({ operator, value }: Filter): boolean =>
  takesOf(operator) === 'nothing' ||
  (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '');

/** Filters that leave out the events of the team itself. */
export function TestAccountsScreen() {
  const { settings, refusal, set } = useSettings();
  const stored = settings.test_account_filters as unknown as Filter[];
  // chips without a value are not saved
  const [draft, setDraft] = useState<readonly Filter[] | null>(null);
  const filters = draft ?? stored;
  const isReadOnly = refusal !== null;
  return (
    <SettingsPage title="Test accounts">
      {refusal && <Reason>{refusal}</Reason>}
      <Section
        title="Events that count"
        lead="With “Leave out test accounts”, an insight counts only the events that pass all these filters, such as those of people whose e-mail does not contain your domain."
      >
        {isReadOnly ? (
          <p className="text-13">
            {stored.length === 0
              ? 'No filters: all events count.'
              : `${stored.length} ${stored.length === 1 ? 'filter' : 'filters'}.`}
          </p>
        ) : (
          <FilterChips
            filters={filters}
            sources={['event', 'person', 'cohort']}
            addLabel="Add filter"
            onChange={(next) => {
              const isReady = next.every(isWhole);
              setDraft(isReady ? null : next);
              if (isReady) set({ test_account_filters: next as never });
            }}
          />
        )}
        {draft && <p className="mt-2 text-12 text-warn">A filter has no value yet. It is saved when it has one.</p>}
      </Section>
      <Section title="New insights">
        <Rows>
          <SwitchRow
            label="Leave out test accounts"
            help="New insights begin with it. Each can be changed on its own."
            isReadOnly={isReadOnly}
            isOn={settings.test_account_filters_default_checked === true}
            onChange={(test_account_filters_default_checked) => set({ test_account_filters_default_checked })}
          />
        </Rows>
      </Section>
    </SettingsPage>
  );
}
