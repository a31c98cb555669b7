import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { Button } from 'react-aria-components';
import { logOut } from '../data/session.js';
import { Menu, MenuLine, MenuRow } from '../ui/Menu.js';
import { forgetPerson } from './forget-person.js';
import { navRow } from './nav-row.js';
import { useMe, useProjectId } from './project-context.js';
import { useChooseTheme } from './use-choose-theme.js';

/** Profile, theme and log-out. */
export function UserMenu({ isFolded }: { isFolded: boolean }) {
  const me = useMe();
  const project = useProjectId();
  const navigate = useNavigate();
  const router = useRouter();
  const queries = useQueryClient();
  const chooseTheme = useChooseTheme();
  const name = `${me.first_name} ${me.last_name}`.trim() || me.email;
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase())
    .join('');
  const trigger = (
    <Button className={navRow(isFolded)}>
      <b aria-hidden className="grid size-6 shrink-0 place-items-center rounded-full border border-border bg-sunken text-11">
        {initials}
      </b>
      <span className="truncate">
        <span className="sr-only">Account of </span>
        {name}
      </span>
    </Button>
  );
  return (
    <Menu trigger={trigger} label="Account">
      <MenuRow
        icon={<UserRound size={14} aria-hidden />}
        onAction={() => void navigate({ to: `/p/${project}/settings/profile` as string })}
      >
        Profile
      </MenuRow>
      <MenuLine />
      <MenuRow icon={<Monitor size={14} aria-hidden />} onAction={() => chooseTheme('system')}>
        Theme of the system
      </MenuRow>
      <MenuRow icon={<Sun size={14} aria-hidden />} onAction={() => chooseTheme('light')}>
        Light
      </MenuRow>
      <MenuRow icon={<Moon size={14} aria-hidden />} onAction={() => chooseTheme('dark')}>
        Dark
      </MenuRow>
      <MenuLine />
      <MenuRow
        icon={<LogOut size={14} aria-hidden />}
        onAction={async () => {
          await logOut();
          forgetPerson(queries);
          router.history.push('/login');
        }}
      >
        Log out
      </MenuRow>
    </Menu>
  );
}
