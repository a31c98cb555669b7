import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Check, ChevronRight, CircleHelp, Flag, X } from 'lucide-react';
import { useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { ApiFailure } from '../../data/api.js';
import { personFlagStepsQuery, personFlagsQuery } from '../../data/persons.js';
import { reasonInWords, verdictsOf } from '../../query/flag-verdicts.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { SearchField } from '../../ui/SearchField.js';
import { Fault, Message, NoPermission, Skeleton } from '../../ui/states.js';

const route = getRouteApi('/p/$project/persons/$id');

/** The value of each flag for a person, and why. */
export function PersonFlags({ distinctId }: { distinctId: string }) {
  const project = useProjectId();
  const { open } = route.useSearch();
  const navigate = useNavigate();
  const [search, setSearch] = useState('');
  const flags = useQuery(personFlagsQuery(project, distinctId));
  const rows = Object.entries(flags.data ?? {}).filter(([key]) => key.toLowerCase().includes(search.toLowerCase()));
  // what they get comes first
  rows.sort(([a, one], [b, other]) => Number(one.value === false) - Number(other.value === false) || a.localeCompare(b));
  const toggle = (key: string) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, open: open === key ? undefined : key })) as never,
      replace: true,
    });
  if (distinctId === '')
    return (
      <Card>
        <Message title="Flags cannot be evaluated">This person has no id that events were sent with.</Message>
      </Card>
    );
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <div className="w-60 max-sm:w-full">
          <SearchField label="Search flags" value={search} onChange={setSearch} />
        </div>
        <p className="text-12 text-text-2">
          Evaluated now for <code className="font-mono">{distinctId}</code>
        </p>
      </div>
      {flags.isPending && <Skeleton rows={6} />}
      {flags.error &&
        (flags.error instanceof ApiFailure && flags.error.status === 403 ? (
          <NoPermission what="flags" needs="Somebody who manages access to the project can give you access to flags." />
        ) : (
          <Fault title="Flags could not be evaluated" detail={flags.error.message} onRetry={() => void flags.refetch()} />
        ))}
      {flags.data && rows.length === 0 && (
        <Message
          icon={<Flag size={16} aria-hidden />}
          title={search ? 'No flag matches' : 'No flags yet'}
          action={
            !search && (
              <Link to={`/p/${project}/flags` as string} className={buttonClass()}>
                Open flags
              </Link>
            )
          }
        />
      )}
      <ul aria-label="Flags they get" className="divide-y divide-border border-t border-border">
        {rows.map(([key, { value, evaluation }]) => (
          <li key={key}>
            <button
              type="button"
              aria-expanded={open === key}
              onClick={() => toggle(key)}
              className="flex min-h-11 w-full flex-wrap items-center gap-x-3 px-4 py-1.5 text-left text-13 hover:bg-hover"
            >
              <ChevronRight
                size={14}
                aria-hidden
                className={`shrink-0 text-text-3 transition-transform ${open === key ? 'rotate-90' : ''}`}
              />
              <span className="min-w-32 flex-1 truncate font-mono text-12 font-strong">{key}</span>
              <span
                className={`rounded-s px-1.5 py-0.5 font-mono text-12 ${value === false ? 'bg-sunken text-text-2' : 'bg-accent-soft text-accent-text'}`}
              >
                {String(value)}
              </span>
              <span className="w-72 text-12 text-text-2 max-lg:w-full max-lg:pl-6">
                {reasonInWords(evaluation.reason, evaluation.condition_index)}
              </span>
            </button>
            {open === key && <Steps flag={key} distinctId={distinctId} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const ICONS = {
  decided: <Check size={14} aria-label="Decided" className="mt-0.5 shrink-0 text-good" />,
  passed_over: <X size={14} aria-label="Did not match" className="mt-0.5 shrink-0 text-bad" />,
  unknown: <CircleHelp size={14} aria-label="Not known" className="mt-0.5 shrink-0 text-warn" />,
  not_reached: null,
};

/** Each step of the decision. */
function Steps({ flag, distinctId }: { flag: string; distinctId: string }) {
  const project = useProjectId();
  const steps = useQuery(personFlagStepsQuery(project, flag, distinctId));
  if (steps.isPending) return <Skeleton rows={2} />;
  if (steps.error) return <p className="px-4 pb-3 pl-11 text-12 text-bad">{steps.error.message}</p>;
  return (
    <div className="grid gap-2 border-t border-border bg-sunken px-4 py-3 pl-11 text-12">
      <ol className="grid gap-2">
        {verdictsOf(steps.data.steps, []).map(({ title, outcome, reasons }) => (
          <li key={title} className="flex gap-2">
            {ICONS[outcome]}
            <div className="min-w-0 wrap-anywhere">
              <p className="font-medium">{title}</p>
              {reasons.map((reason) => (
                <p key={reason} className="text-text-2">
                  {reason}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ol>
      {steps.data.payload !== null && (
        <p className="font-mono">{`Payload ${typeof steps.data.payload === 'string' ? steps.data.payload : JSON.stringify(steps.data.payload)}`}</p>
      )}
      <Link to={`/p/${project}/flags` as string} search={{ search: flag } as never}>
        Find this flag
      </Link>
    </div>
  );
}
