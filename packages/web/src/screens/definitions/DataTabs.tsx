import { Link } from '@tanstack/react-router';
import { useProjectId } from '../../app/project-context.js';
import type { PropertyKind } from './route.js';

const TABS: readonly { id: 'events' | PropertyKind; label: string }[] = [
  { id: 'events', label: 'Events' },
  { id: 'event', label: 'Event properties' },
  { id: 'person', label: 'Of people' },
  { id: 'group', label: 'Of groups' },
];

/** What is listed: events or the properties of something. */
export function DataTabs({ selected }: { selected: 'events' | PropertyKind }) {
  const project = useProjectId();
  return (
    <nav aria-label="What is defined" className="flex max-w-full gap-0.5 overflow-x-auto rounded-m bg-sunken p-0.5">
      {TABS.map(({ id, label }) => (
        <Link
          key={id}
          to={`/p/${project}/definitions` as string}
          search={(id === 'events' ? {} : { of: id }) as never}
          aria-current={id === selected ? 'page' : undefined}
          className={`flex min-h-6 shrink-0 items-center rounded-s px-2 text-12 whitespace-nowrap no-underline! -outline-offset-2 pointer-coarse:min-h-10 ${id === selected ? 'bg-surface font-medium text-text shadow-card' : 'text-text-2'}`}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
