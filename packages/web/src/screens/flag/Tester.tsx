import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Check, CircleHelp, Clock, X } from 'lucide-react';
import { useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import type { Flag } from '../../data/flags.js';
import { flagTestQuery } from '../../data/flags-evaluation.js';
import { reasonInWords, type Verdict, verdictsOf } from '../../query/flag-verdicts.js';
import { SearchField } from '../../ui/SearchField.js';
import { draftOf } from './draft.js';

const route = getRouteApi('/p/$project/flags/$id');

/** Evaluates the saved flag for one person, and says what each condition decided. @param props.unsaved number of changes that do not count yet */
export function Tester({ flag, unsaved }: { flag: Flag; unsaved: number }) {
  const project = useProjectId();
  const { person = '' } = route.useSearch();
  const navigate = useNavigate();
  const [typed, setTyped] = useState(person);
  const tested = useQuery(flagTestQuery(project, flag.id, flag.version, person));
  const evaluate = (distinctId: string) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, person: distinctId.trim() || undefined })) as never,
      replace: true,
    });
  return (
    <section aria-labelledby="try">
      <h2 id="try" className="mb-1.5 text-13 font-strong">
        Try a person
      </h2>
      <SearchField
        label="Distinct id of a person"
        value={typed}
        onChange={setTyped}
        onSubmit={evaluate}
        onClear={() => evaluate('')}
        onBlur={() => typed.trim() !== person && evaluate(typed)}
      />
      <div aria-live="polite" className={tested.isFetching ? 'opacity-60' : ''}>
        {person === '' && (
          <p className="mt-1.5 text-12 text-text-2">Enter a distinct id to see what this person gets, and why.</p>
        )}
        {tested.error && <p className="mt-2 text-12 text-bad">{tested.error.message}</p>}
        {person !== '' && tested.data && (
          <>
            <p className="mt-2 flex flex-wrap items-center gap-1.5 text-13 text-text-2">
              Gets
              <span className="rounded-s bg-accent-soft px-1.5 py-0.5 font-mono text-12 font-strong text-accent-text">
                {String(tested.data.value)}
              </span>
              {reasonInWords(tested.data.reason, tested.data.condition_index)}
            </p>
            {tested.data.payload !== null && (
              <p className="mt-1 truncate font-mono text-12 text-text-2">{`with ${asText(tested.data.payload)}`}</p>
            )}
            <ol className="mt-2 divide-y divide-border overflow-hidden rounded-l border border-border">
              {verdictsOf(tested.data.steps, draftOf(flag).conditions).map((verdict) => (
                <VerdictRow key={verdict.title} verdict={verdict} />
              ))}
            </ol>
            {unsaved > 0 && (
              <p className="mt-2 text-12 text-text-2">This is the saved flag: your changes do not count until you save them.</p>
            )}
          </>
        )}
      </div>
    </section>
  );
}

const ICONS = {
  decided: <Check size={14} aria-label="Decided" className="mt-0.5 shrink-0 text-good" />,
  passed_over: <X size={14} aria-label="Did not match" className="mt-0.5 shrink-0 text-bad" />,
  unknown: <CircleHelp size={14} aria-label="Not known" className="mt-0.5 shrink-0 text-warn" />,
  not_reached: <Clock size={14} aria-label="Not reached" className="mt-0.5 shrink-0 text-text-3" />,
};

const VerdictRow = ({ verdict: { title, outcome, reasons } }: { verdict: Verdict }) => (
  <li className={`flex gap-2 p-2.5 text-12 ${outcome === 'decided' ? 'bg-good-soft' : ''}`}>
    {ICONS[outcome]}
    <div className="min-w-0 wrap-anywhere">
      <p className={`font-medium ${outcome === 'not_reached' ? 'text-text-2' : ''}`}>{title}</p>
      {reasons.map((reason) => (
        <p key={reason} className={outcome === 'decided' ? 'text-good' : 'text-text-2'}>
          {reason}
        </p>
      ))}
    </div>
  </li>
);

const asText = (payload: unknown): string => (typeof payload === 'string' ? payload : JSON.stringify(payload));
