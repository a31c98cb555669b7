import { Link } from '@tanstack/react-router';
import { useProjectId } from '../app/project-context.js';

const TABS = [
  { id: 'insights', label: 'Insights', path: '/insights' },
  { id: 'alerts', label: 'Alerts', path: '/insights/alerts' },
] as const;

/** What is listed: insights, or alerts on them. */
export function InsightTabs({ selected }: { selected: (typeof TABS)[number]['id'] }) {
  const project = useProjectId();
  return (
    <nav aria-label="Insights and alerts" className="flex gap-0.5 rounded-m bg-sunken p-0.5">
      {TABS.map(({ id, label, path }) => (
        <Link
          key={id}
          to={`/p/${project}${path}` as string}
          aria-current={id === selected ? 'page' : undefined}
          className={`flex min-h-6 items-center rounded-s px-2 text-12 no-underline! pointer-coarse:min-h-10 ${id === selected ? 'bg-surface font-medium text-text shadow-card' : 'text-text-2'}`}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
