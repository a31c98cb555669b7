import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { Suspense, useCallback, useLayoutEffect, useMemo, useState } from 'react';
import { Button } from 'react-aria-components';
import { type Action, shortcutText, useActions } from '../actions/actions.js';
import { lazyPart } from '../ui/lazy-part.js';
import { navRow } from './nav-row.js';
import { PLACES } from './navigation.js';
import { useMayCreate } from './object-level.js';
import { useProjectId } from './project-context.js';

const PaletteDialog = lazyPart(async () => (await import('./PaletteDialog.js')).PaletteDialog);

/** The button of the palette; it also registers what is always there: places, and the palette itself. */
export function PaletteButton({ isFolded }: { isFolded: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const close = useCallback(() => {
    setText('');
    setOpen(false);
  }, []);
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
      {isOpen && (
        <>
          <TypedMeanwhile onChange={setText} onClose={close} />
          <Suspense fallback={null}>
            <PaletteDialog text={text} onText={setText} onClose={close} />
          </Suspense>
        </>
      )}
    </>
  );
}

/** Until the field of the palette has the focus, it gets what is typed: as shortcuts, the letters would lead elsewhere. */
function TypedMeanwhile({ onChange, onClose }: { onChange: (edit: (text: string) => string) => void; onClose: () => void }) {
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      // Enter is sent on from the field to the active result
      if (event.target instanceof Element && event.target.closest('[data-palette] :is(input, [role=option])')) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.key === 'Escape') onClose();
      else if (event.key === 'Backspace') onChange((text) => text.slice(0, -1));
      else if (event.key.length === 1) onChange((text) => text + event.key);
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [onChange, onClose]);
  return null;
}
