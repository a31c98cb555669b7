import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Circle, CircleCheck, X } from 'lucide-react';
import { useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { ownEventQuery } from '../../data/events.js';
import { ownFlagQuery } from '../../data/flags.js';
import { insightsQuery } from '../../data/insights.js';
import { membersQuery } from '../../data/members.js';
import { IconButton } from '../../ui/IconButton.js';
import { HomeCard } from './HomeCard.js';

/** The tag of what belongs to the sample data. */
const SAMPLE = 'sample';

/** The first steps in a project. They tick themselves; when all are done, or the person closes the list, it goes. */
export function GettingStarted() {
  const project = useProjectId();
  const { organization } = useProject();
  const [isClosed, setClosed] = useState(() => isRemembered(project));
  const event = useQuery(ownEventQuery(project));
  const insights = useInfiniteQuery(insightsQuery(project));
  const members = useQuery(membersQuery(organization));
  const flags = useQuery(ownFlagQuery(project));
  if (isClosed || !event.isSuccess || !insights.isSuccess || !members.isSuccess || !flags.isSuccess) return null;
  const steps = [
    { name: 'Make the account', isDone: true, path: '', takes: '' },
    { name: 'Send a first event', isDone: event.data, path: '/install', takes: '2 minutes' },
    {
      name: 'Save a chart of your own',
      isDone: insights.data.pages.some(({ results }) => results.some(({ tags }) => !tags.includes(SAMPLE))),
      path: '/insights/new',
      takes: '2 minutes',
    },
    { name: 'Invite someone', isDone: members.data.length > 1, path: '/settings/members', takes: '2 minutes' },
    { name: 'Release something behind a flag', isDone: flags.data, path: '/flags', takes: '5 minutes' },
  ];
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return (
    <HomeCard
      title="Getting started"
      aside={
        <>
          <span className="tnum text-12 text-text-2">{`${done} of ${steps.length}`}</span>
          <IconButton
            isSmall
            label="Close the list"
            onPress={() => {
              remember(project);
              setClosed(true);
            }}
          >
            <X size={14} aria-hidden />
          </IconButton>
        </>
      }
    >
      <div aria-hidden className="mx-4 mb-1 h-1 overflow-hidden rounded-full bg-sunken">
        <div className="h-full bg-accent" style={{ width: `${(100 * done) / steps.length}%` }} />
      </div>
      <ul aria-label="Getting started" className="pb-2">
        {steps.map(({ name, isDone, path, takes }) => (
          <li
            key={name}
            className={`relative flex min-h-8 items-center gap-2.5 px-4 text-13 pointer-coarse:min-h-11 ${isDone ? 'max-sm:hidden' : 'hover:bg-hover'}`}
          >
            {isDone ? (
              <CircleCheck size={16} role="img" aria-label="Done" className="shrink-0 text-good" />
            ) : (
              <Circle size={16} aria-hidden className="shrink-0 text-text-3" />
            )}
            {isDone ? (
              <s className="min-w-0 flex-1 text-text-2">{name}</s>
            ) : (
              <Link
                to={`/p/${project}${path}` as string}
                className="min-w-0 flex-1 font-medium text-text after:absolute after:inset-0"
              >
                {name}
              </Link>
            )}
            {!isDone && <span className="text-12 text-text-2">{takes}</span>}
          </li>
        ))}
      </ul>
    </HomeCard>
  );
}

const keyOf = (project: string) => `tidemark.getting-started.${project}`;

/** Whether the person closed the list in this browser. */
function isRemembered(project: string): boolean {
  try {
    return localStorage.getItem(keyOf(project)) === 'closed';
  } catch {
    // storage is blocked
    return false;
  }
}

function remember(project: string): void {
  try {
    localStorage.setItem(keyOf(project), 'closed');
  } catch {
    // storage is blocked: the list is closed as long as the page lasts
  }
}
