import { useNavigate } from '@tanstack/react-router';
import { Check, ChevronDown } from 'lucide-react';
import { Button } from 'react-aria-components';
import { Menu, MenuRow } from '../ui/Menu.js';
import { Mark } from './Mark.js';
import { navRow } from './nav-row.js';
import { useMe, useProject } from './project-context.js';

/** The name of the project, and the way to the others of the organization. */
export function ProjectSwitcher({ isFolded }: { isFolded: boolean }) {
  const project = useProject();
  const me = useMe();
  const navigate = useNavigate();
  const trigger = (
    <Button aria-label={`Project ${project.name}`} className={navRow(isFolded)}>
      <Mark />
      <span className="min-w-0 flex-1 truncate text-left text-text">{project.name}</span>
      {!isFolded && <ChevronDown size={14} aria-hidden className="max-lg:hidden" />}
    </Button>
  );
  return (
    <Menu trigger={trigger} label="Projects">
      {(me.organization?.teams ?? []).map(({ id, name }) => (
        <MenuRow
          key={id}
          id={String(id)}
          icon={id === project.id ? <Check size={14} aria-hidden /> : <span className="inline-block w-3.5" />}
          onAction={() => void navigate({ to: '/p/$project', params: { project: String(id) } })}
        >
          {name}
        </MenuRow>
      ))}
    </Menu>
  );
}
