import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { ChevronDown, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { classNames } from '../../ui/class-names.js';
import { Menu, MenuRow } from '../../ui/Menu.js';
import { PageBody, PageHead } from '../../ui/PageHead.js';
import { SETTINGS } from './settings-places.js';

export interface SettingsPageProps {
  title: string;
  actions?: ReactNode;
  /** The open side panel. The page makes room for it. */
  panel?: ReactNode;
  children: ReactNode;
}

/** A page of the settings: its head, the list of pages and the content. */
export function SettingsPage({ title, actions, panel, children }: SettingsPageProps) {
  const project = useProjectId();
  const crumb = <Link to={`/p/${project}/settings/project` as string}>Settings</Link>;
  return (
    <>
      <div className={classNames('flex min-h-0 flex-1 flex-col', panel ? 'lg:pr-[var(--panel-w)]' : null)}>
        <PageHead title={title} crumb={crumb} actions={actions} />
        <PageBody>
          <div className="flex items-start gap-6 max-md:flex-col">
            <PageList title={title} />
            <div className="grid w-full max-w-[760px] min-w-0 flex-1 grid-cols-[minmax(0,1fr)] gap-4">{children}</div>
          </div>
        </PageBody>
      </div>
      {panel}
    </>
  );
}

function PageList({ title }: { title: string }) {
  const project = useProjectId();
  const { name } = useProject();
  const navigate = useNavigate();
  const here = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <>
      <div className="md:hidden">
        <Menu
          label="Pages of the settings"
          trigger={
            <Button aria-label={`Page of the settings: ${title}`}>
              <span className="flex items-center gap-2">
                {title}
                <ChevronDown size={14} aria-hidden />
              </span>
            </Button>
          }
        >
          {SETTINGS.flatMap(({ group, places }) =>
            places.map(({ label, path }) => (
              <MenuRow key={path} onAction={() => void navigate({ to: `/p/${project}/settings${path}` as string })}>
                {label === 'General' ? `${group ?? 'Project'}: general` : label}
              </MenuRow>
            )),
          )}
        </Menu>
      </div>
      <nav aria-label="Settings" className="sticky top-0 w-[164px] shrink-0 max-md:hidden">
        {SETTINGS.map(({ group, places }) => (
          <div key={group} className="mb-2">
            <h2 className="truncate px-2 py-1 text-11 font-medium text-text-3">{group ?? name}</h2>
            <ul className="grid gap-0.5">
              {places.map(({ label, path }) => {
                const isHere = here.endsWith(`/settings${path}`);
                return (
                  <li key={path}>
                    <Link
                      to={`/p/${project}/settings${path}` as string}
                      aria-current={isHere ? 'page' : undefined}
                      className={classNames(
                        'flex min-h-[30px] items-center rounded-m px-2 text-13 font-medium no-underline! pointer-coarse:min-h-11',
                        isHere
                          ? 'bg-surface text-text ring-1 ring-border ring-inset'
                          : 'text-text-2 hover:bg-hover hover:text-text',
                      )}
                    >
                      {label}
                    </Link>
                  </li>
                );
              })}
            </ul>
          </div>
        ))}
      </nav>
    </>
  );
}

/** A card with a heading, a sentence below it and its controls. */
export const Section = ({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) => (
  <Card className="p-5 max-sm:p-4">
    <h2 className="text-14 font-strong">{title}</h2>
    {lead && <p className="mt-0.5 max-w-prose text-12 text-text-3">{lead}</p>}
    <div className="mt-4">{children}</div>
  </Card>
);

/** Why something here cannot be changed by this person. */
export const Reason = ({ children }: { children: ReactNode }) => (
  <p className="flex items-start gap-2 rounded-m bg-sunken px-3 py-2 text-13 text-text-2">
    <Lock size={14} aria-hidden className="mt-0.5 shrink-0" />
    <span>{children}</span>
  </p>
);

/** A name and value that cannot be changed here. */
export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid gap-0.5">
    <dt className="text-12 font-medium text-text-2">{name}</dt>
    <dd className="text-13 wrap-anywhere">{children}</dd>
  </div>
);
