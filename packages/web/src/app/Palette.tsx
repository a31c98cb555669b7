import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import {
  Autocomplete,
  Button,
  Dialog,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Modal,
  ModalOverlay,
  TextField,
  useFilter,
} from 'react-aria-components';
import { type Action, performAction, shortcutText, useActions, useAllActions } from '../actions/actions.js';
import { POP_ROW } from '../ui/Pop.js';
import { navRow } from './nav-row.js';
import { PLACES } from './navigation.js';
import { useMayCreate } from './object-level.js';
import { useProjectId } from './project-context.js';

/** The button of the palette; it also registers what is always there: places, and the palette itself. */
export function PaletteButton({ isFolded }: { isFolded: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const project = useProjectId();
  const mayCreate = useMayCreate('insight');
  const own = useMemo((): Action[] => {
    const places = PLACES.flatMap((group) => group.places);
    return [
      { id: 'palette', label: 'Search or go to', group: 'General', shortcut: 'mod+k', perform: () => setOpen(true) },
      {
        id: 'search',
        label: 'Search this list',
        group: 'General',
        shortcut: '/',
        perform: () => document.querySelector<HTMLElement>('[data-search]')?.focus(),
      },
      ...places.map(({ label, path, key }) => ({
        id: `go${path}`,
        label: `Go to ${label}`,
        group: 'Go to',
        shortcut: `g ${key}`,
        perform: () => void navigate({ to: `/p/${project}${path}` as string }),
      })),
      {
        id: 'go-settings',
        label: 'Go to Settings',
        group: 'Go to',
        shortcut: 'g s',
        perform: () => void navigate({ to: `/p/${project}/settings` as string }),
      },
      ...(mayCreate
        ? [
            {
              id: 'new-insight',
              label: 'New insight',
              group: 'Create',
              perform: () => void navigate({ to: `/p/${project}/insights/new` as string }),
            },
          ]
        : []),
      {
        id: 'install',
        label: 'Install Tidemark in a page or app',
        group: 'Go to',
        perform: () => void navigate({ to: `/p/${project}/install` as string }),
      },
    ];
  }, [mayCreate, navigate, project]);
  useActions(own);
  return (
    <>
      <Button onPress={() => setOpen(true)} className={`${navRow(isFolded)} border border-border bg-surface`}>
        <Search size={14} aria-hidden />
        <span className="flex-1 text-left font-regular">Search or go to</span>
        {!isFolded && (
          <kbd aria-hidden className="rounded-s border border-border px-1 font-sans text-11 text-text-3 max-lg:hidden">
            {shortcutText('mod+k')}
          </kbd>
        )}
      </Button>
      <ModalOverlay
        isOpen={isOpen}
        onOpenChange={setOpen}
        isDismissable
        className="fixed inset-0 z-[var(--z-dialog)] flex justify-center bg-overlay px-4 pt-16"
      >
        <Modal className="h-fit w-full max-w-xl">
          <Dialog
            aria-label="Search or go to"
            className="overflow-hidden rounded-xl border border-border bg-raised shadow-dialog outline-none"
          >
            <PaletteList onDone={() => setOpen(false)} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </>
  );
}

function PaletteList({ onDone }: { onDone: () => void }) {
  const { contains } = useFilter({ sensitivity: 'base' });
  const actions = useAllActions().filter(({ id }) => id !== 'palette');
  const groups = [...new Set(actions.map(({ group }) => group))];
  return (
    <Autocomplete filter={contains}>
      <TextField aria-label="Search or go to" autoFocus className="flex items-center gap-2 border-b border-border px-4">
        <Search size={16} aria-hidden className="text-text-3" />
        <Input
          placeholder="Search or go to"
          className="h-12 flex-1 bg-transparent text-14 outline-none placeholder:text-text-3"
        />
      </TextField>
      <ListBox
        aria-label="Results"
        className="max-h-[60dvh] overflow-y-auto p-1 outline-none"
        renderEmptyState={() => <p className="p-3 text-13 text-text-3">Nothing matches</p>}
        onAction={(key) => {
          onDone();
          const chosen = actions.find(({ id }) => id === key);
          if (chosen) performAction(chosen);
        }}
      >
        {groups.map((group) => (
          <ListBoxSection key={group} id={group}>
            <Header className="px-2 pt-2 pb-1 text-11 font-medium text-text-3">{group}</Header>
            {actions
              .filter((action) => action.group === group)
              .map(({ id, label, shortcut }) => (
                <ListBoxItem key={id} id={id} textValue={label} className={POP_ROW}>
                  <span className="flex-1">{label}</span>
                  {shortcut && <kbd className="font-sans text-11 text-text-3">{shortcutText(shortcut)}</kbd>}
                </ListBoxItem>
              ))}
          </ListBoxSection>
        ))}
      </ListBox>
    </Autocomplete>
  );
}
