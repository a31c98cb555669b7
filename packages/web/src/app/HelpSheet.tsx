import { CircleHelp } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from 'react-aria-components';
import { shortcutText, useActions, useAllActions } from '../actions/actions.js';
import { Dialog } from '../ui/Dialog.js';
import { navRow } from './nav-row.js';

/** The sheet of keys (`?`), and links to the reference. */
export function HelpButton({ isFolded }: { isFolded: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const own = useMemo(
    () => [{ id: 'help', label: 'Keys and help', group: 'General', shortcut: '?', perform: () => setOpen(true) }],
    [],
  );
  useActions(own);
  const actions = useAllActions().filter(({ shortcut }) => shortcut !== undefined);
  const groups = [...new Set(actions.map(({ group }) => group))];
  return (
    <>
      <Button onPress={() => setOpen(true)} className={navRow(isFolded)}>
        <CircleHelp size={16} strokeWidth={1.75} aria-hidden />
        <span>Help</span>
      </Button>
      <Dialog title="Keys and help" isOpen={isOpen} onClose={() => setOpen(false)} isWide>
        <p className="mb-4 text-13">
          <a href="/api/schema/ui/" target="_blank" rel="noreferrer">
            API reference
          </a>
        </p>
        <div className="grid grid-cols-2 gap-x-8 gap-y-4 max-sm:grid-cols-1">
          {groups.map((group) => (
            <section key={group}>
              <h3 className="mb-1 text-12 font-medium text-text-3">{group}</h3>
              <dl className="divide-y divide-border">
                {actions
                  .filter((action) => action.group === group)
                  .map(({ id, label, shortcut = '' }) => (
                    <div key={id} className="flex items-center justify-between py-1.5 text-13">
                      <dt>{label}</dt>
                      <dd>
                        <kbd className="rounded-s border border-border bg-sunken px-1.5 py-0.5 font-sans text-11">
                          {shortcutText(shortcut)}
                        </kbd>
                      </dd>
                    </div>
                  ))}
              </dl>
            </section>
          ))}
        </div>
      </Dialog>
    </>
  );
}
