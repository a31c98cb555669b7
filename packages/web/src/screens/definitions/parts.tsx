import { Link } from '@tanstack/react-router';
import { BadgeCheck, BookOpen, EyeOff } from 'lucide-react';
import { useProjectId } from '../../app/project-context.js';
import type { DefinitionFilter } from '../../data/definitions.js';
import { Badge } from '../../ui/Badge.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { Message } from '../../ui/states.js';

/** What both lists take. */
export interface RowsProps {
  filter: DefinitionFilter;
  /** Id of the definition in the panel. */
  open: string | null;
  onOpen: (id: string) => void;
  onTag: (tag: string) => void;
  /** Null: nothing is filtered. */
  onShowAll: (() => void) | null;
}

interface NameCellProps {
  name: string;
  /** The name as it is sent, where `name` is another one. */
  sent: string | null;
  definition: { id: string; description: string; verified: boolean; hidden: boolean };
  isOpen: boolean;
  onOpen: (id: string) => void;
}

/** The name with its states and description; pressing it anywhere in the row opens the panel. */
export const NameCell = ({ name, sent, definition: { id, description, verified, hidden }, isOpen, onOpen }: NameCellProps) => (
  <span className="min-w-0">
    <span className="flex min-w-0 items-center gap-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => onOpen(id)}
        className={`min-w-0 truncate text-left text-13 font-medium after:absolute after:inset-0 ${isOpen ? 'text-accent-text' : ''}`}
      >
        {name}
      </button>
      {sent && <code className="truncate font-mono text-11 text-text-3 max-sm:hidden">{sent}</code>}
      {verified && (
        <Badge kind="good" icon={<BadgeCheck size={12} aria-hidden />}>
          Verified
        </Badge>
      )}
      {hidden && <Badge icon={<EyeOff size={12} aria-hidden />}>Hidden</Badge>}
    </span>
    {description && <span className="block truncate text-12 text-text-2">{description}</span>}
  </span>
);

/** Tags as buttons that filter by them. */
export const TagCell = ({ tags, what, onTag }: { tags: readonly string[]; what: string; onTag: (tag: string) => void }) => (
  <span className="flex min-w-0 items-center gap-1.5 overflow-hidden max-lg:hidden">
    {tags.map((tag) => (
      <button
        key={tag}
        type="button"
        aria-label={`Show ${what} with the tag ${tag}`}
        onClick={() => onTag(tag)}
        className="relative z-1 h-5 shrink-0 rounded-s bg-sunken px-1.5 text-11 font-medium text-text-2 hover:text-text"
      >
        {tag}
      </button>
    ))}
  </span>
);

interface EmptyProps {
  what: string;
  onShowAll: (() => void) | null;
  children: string;
}

/** A list without rows: the filters can be removed, or events can be sent. */
export function EmptyList({ what, onShowAll, children }: EmptyProps) {
  const project = useProjectId();
  const install = (
    <Link to={`/p/${project}/install` as string} className={buttonClass('primary')}>
      Install Tidemark
    </Link>
  );
  return (
    <Message
      icon={<BookOpen size={16} aria-hidden />}
      title={onShowAll ? `No ${what} match` : `No ${what} yet`}
      action={onShowAll ? <Button onPress={onShowAll}>{`Show all ${what}`}</Button> : install}
    >
      {onShowAll ? 'Those with another name, state or tag are left out.' : children}
    </Message>
  );
}
