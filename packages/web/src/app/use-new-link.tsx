import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useNewShortcut } from '../actions/use-new-shortcut.js';
import { buttonClass } from '../ui/Button.js';

/** The link to the screen that creates an object, with its shortcut; null for people who may not. @param label such as "New flag" */
export function useNewLink(label: string, isAllowed: boolean, to: string) {
  const navigate = useNavigate();
  useNewShortcut(label, isAllowed, () => void navigate({ to }));
  return isAllowed ? (
    <Link to={to} className={buttonClass('primary')}>
      <Plus size={14} aria-hidden />
      {label}
    </Link>
  ) : null;
}
