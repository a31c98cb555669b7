import { useQueryClient } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { addToCohort, type Cohort, cohortQuery, refreshCohort, updateCohort } from '../../data/cohorts.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { TextField } from '../../ui/TextField.js';
import { CSV_HELP, CsvButton } from './CsvButton.js';

/** Adds people to a list: by a CSV file, or by ids. */
export function StaticList({ cohort }: { cohort: Cohort }) {
  const project = useProjectId();
  const queries = useQueryClient();
  const { id } = cohort;
  const [ids, setIds] = useState('');
  const [busy, setBusy] = useState<'file' | 'ids' | null>(null);
  const [outcome, setOutcome] = useState<{ text: string; isFault: boolean } | null>(null);
  const before = useRef(0);
  const run = async (how: 'file' | 'ids', add: () => Promise<unknown>) => {
    setBusy(how);
    setOutcome(null);
    before.current = cohort.count ?? 0;
    try {
      await add();
      await refreshCohort(queries, project, id);
      const now = await queries.fetchQuery(cohortQuery(project, id));
      const added = (now.count ?? 0) - before.current;
      setOutcome({
        text:
          added > 0
            ? `${added.toLocaleString('en')} ${added === 1 ? 'person is' : 'people are'} added.`
            : 'Nobody is added: those people are in the list already, or have no events in this project.',
        isFault: false,
      });
      if (how === 'ids') setIds('');
    } catch (error) {
      setOutcome({ text: (error as Error).message, isFault: true });
    } finally {
      setBusy(null);
    }
  };
  const wanted = ids
    .split(/[\n,;]/)
    .map((one) => one.trim())
    .filter(Boolean);
  return (
    <Card className="grid gap-4 p-4">
      <div>
        <h2 className="text-13 font-strong">Add people by a file</h2>
        <p className="mt-1 mb-2 text-12 text-text-2">{CSV_HELP}</p>
        <CsvButton
          isBusy={busy === 'file'}
          icon={<Upload size={14} aria-hidden />}
          onText={(csv) => void run('file', () => updateCohort(project, id, { csv }))}
        />
      </div>
      <div className="grid gap-2">
        <TextField
          label="Add people by their ids"
          help="Distinct ids, one a line or separated by commas."
          rows={3}
          value={ids}
          onChange={setIds}
        />
        <div>
          <Button
            isDisabled={wanted.length === 0}
            busyLabel={busy === 'ids' ? 'Adding…' : null}
            onPress={() => void run('ids', () => addToCohort(project, id, wanted))}
          >
            Add people
          </Button>
        </div>
      </div>
      {outcome && (
        <p role={outcome.isFault ? 'alert' : 'status'} className={`text-13 ${outcome.isFault ? 'text-bad' : 'text-good'}`}>
          {outcome.text}
        </p>
      )}
    </Card>
  );
}
