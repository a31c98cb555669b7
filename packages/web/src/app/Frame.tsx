import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Ellipsis, Settings } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { classNames } from '../ui/class-names.js';
import { Dialog } from '../ui/Dialog.js';
import { Toasts } from '../ui/toast.js';
import { HelpButton } from './HelpSheet.js';
import { navRow } from './nav-row.js';
import { PLACES, type Place } from './navigation.js';
import { PaletteButton } from './Palette.js';
import { ProjectSwitcher } from './ProjectSwitcher.js';
import { useProjectId } from './project-context.js';
import { SessionEnded } from './SessionEnded.js';
import { UserMenu } from './UserMenu.js';

/** The frame of every screen of a project: navigation at the left, on phones at the foot. Builders fold it to icons. */
export function Frame() {
  const isFolded = useRouterState({ select: ({ matches }) => matches.some(({ staticData }) => staticData.foldsNavigation) });
  // a dashboard on a screen at the wall; the keys of the navigation stay
  const isPresenting = useRouterState({ select: ({ location }) => (location.search as { present?: string }).present === '1' });
  return (
    <div className="flex h-dvh max-sm:flex-col">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-[var(--z-tip)] focus:bg-surface focus:p-2">
        Skip to content
      </a>
      <nav
        aria-label="Main"
        className={classNames(
          'shrink-0 flex-col gap-1 overflow-y-auto border-r border-border bg-nav p-2 max-sm:hidden',
          isPresenting ? 'hidden' : 'flex',
          isFolded ? 'w-[var(--nav-w-folded)]' : 'w-[var(--nav-w)] max-lg:w-[var(--nav-w-folded)]',
        )}
        data-folded={isFolded || undefined}
      >
        <ProjectSwitcher isFolded={isFolded} />
        <PaletteButton isFolded={isFolded} />
        {PLACES.map(({ group, places }) => (
          <div key={group} className="mt-1 first:mt-0">
            {group && !isFolded && <h2 className="px-2 py-1 text-11 font-medium text-text-3 max-lg:hidden">{group}</h2>}
            <ul className="grid gap-0.5">
              {places.map((place) => (
                <li key={place.path}>
                  <PlaceLink place={place} isFolded={isFolded} />
                </li>
              ))}
            </ul>
          </div>
        ))}
        <div className="mt-auto grid grid-cols-[minmax(0,1fr)] gap-0.5 pt-3">
          <PlaceLink place={SETTINGS} isFolded={isFolded} />
          <HelpButton isFolded={isFolded} />
          <UserMenu isFolded={isFolded} />
        </div>
      </nav>
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col -outline-offset-2">
        <Outlet />
      </main>
      {!isPresenting && <PhoneTabs />}
      <SessionEnded />
      <Toasts />
    </div>
  );
}

const SETTINGS: Place = { label: 'Settings', icon: Settings, path: '/settings', key: 's' };

function PlaceLink({ place: { label, icon: Icon, path }, isFolded }: { place: Place; isFolded: boolean }) {
  const project = useProjectId();
  return (
    <Link to={`/p/${project}${path}` as string} activeOptions={{ exact: path === '' }} title={label} className={navRow(isFolded)}>
      <Icon size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />
      <span className="truncate">{label}</span>
    </Link>
  );
}

const TAB =
  'flex flex-1 flex-col items-center justify-center gap-0.5 text-11 text-text-2 no-underline! data-[status=active]:text-accent-text';

function PhoneTabs() {
  const project = useProjectId();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const places = PLACES.flatMap((group) => group.places);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const isElsewhere = !places.some(
    ({ isOnPhone, path }) =>
      isOnPhone && (path === '' ? pathname === `/p/${project}` : pathname.startsWith(`/p/${project}${path}`)),
  );
  const link = ({ label, icon: Icon, path }: Place, className: string, onClick?: () => void): ReactNode => (
    <Link
      key={path}
      to={`/p/${project}${path}` as string}
      activeOptions={{ exact: path === '' }}
      onClick={onClick}
      className={className}
    >
      <Icon size={18} aria-hidden />
      {label}
    </Link>
  );
  const row = 'flex min-h-11 items-center gap-3 rounded-m px-2 text-14 text-text no-underline! hover:bg-hover';
  return (
    <nav aria-label="Main" className="flex h-[58px] shrink-0 border-t border-border bg-surface sm:hidden">
      {places.filter(({ isOnPhone }) => isOnPhone).map((place) => link(place, TAB))}
      <button type="button" onClick={() => setMoreOpen(true)} className={TAB} data-status={isElsewhere ? 'active' : undefined}>
        <Ellipsis size={18} aria-hidden />
        More
      </button>
      <Dialog title="More" isOpen={isMoreOpen} onClose={() => setMoreOpen(false)}>
        <div className="grid">
          {[...places.filter(({ isOnPhone }) => !isOnPhone), SETTINGS].map((place) => link(place, row, () => setMoreOpen(false)))}
          <ProjectSwitcher isFolded={false} />
          <UserMenu isFolded={false} />
        </div>
      </Dialog>
    </nav>
  );
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Whether the navigation is folded to icons, for screens that need the width. */
    foldsNavigation?: boolean;
  }
}
