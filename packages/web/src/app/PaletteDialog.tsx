import { Search } from 'lucide-react';
import { type RefObject, useState } from 'react';
import {
  Autocomplete,
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
import { performAction, shortcutText, useAllActions } from '../actions/actions.js';
import { POP_ROW } from '../ui/Pop.js';

interface PaletteDialogProps {
  /** What was typed before the palette was there. */
  typed: RefObject<string>;
  onClose: () => void;
}

/** The open palette: everything that can be done here, by a few letters of its name. */
export const PaletteDialog = ({ typed, onClose }: PaletteDialogProps) => (
  <ModalOverlay
    isOpen
    onOpenChange={(isOpen) => isOpen || onClose()}
    isDismissable
    className="fixed inset-0 z-[var(--z-dialog)] flex justify-center bg-overlay px-4 pt-16"
  >
    <Modal className="h-fit w-full max-w-xl">
      <Dialog
        aria-label="Search or go to"
        className="overflow-hidden rounded-xl border border-border bg-raised shadow-dialog outline-none"
      >
        <PaletteList typed={typed} onDone={onClose} />
      </Dialog>
    </Modal>
  </ModalOverlay>
);

function PaletteList({ typed, onDone }: { typed: RefObject<string>; onDone: () => void }) {
  const [initialText] = useState(() => typed.current);

  const { contains } = useFilter({ sensitivity: 'base' });
  const actions = useAllActions().filter(({ id }) => id !== 'palette');
  const groups = [...new Set(actions.map(({ group }) => group))];
  return (
    <Autocomplete filter={contains} defaultInputValue={initialText}>
      <TextField aria-label="Search or go to" autoFocus className="flex items-center gap-2 border-b border-border px-4">
        <Search size={16} aria-hidden className="text-text-3" />
        <Input
          role="combobox"
          aria-expanded
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
