import { type ReactNode, useState } from 'react';
import { Button, Dialog, DialogTrigger } from 'react-aria-components';
import { classNames } from './class-names.js';
import { Pop } from './Pop.js';

export interface PopButtonProps {
  /** Names what opens; the words of the button unless it has a `trigger`. */
  label: string;
  icon?: ReactNode;
  /** What the button shows instead of the label. */
  trigger?: ReactNode;
  /** `text`: a line that explains itself when pressed. Default: a place to add something. */
  look?: 'place' | 'text';
  /** What opens beside the button. */
  children: (close: () => void) => ReactNode;
}

const LOOKS = {
  place: 'border border-dashed border-border-strong px-2 text-text-2 hover:bg-hover',
  text: 'px-1 text-text-3 underline decoration-dotted underline-offset-3 hover:text-text',
};

/** A button with what is chosen or read beside it. */
export function PopButton({ label, icon, trigger, look = 'place', children }: PopButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button className={classNames('inline-flex h-7 items-center gap-1 rounded-m text-12 pointer-coarse:h-11', LOOKS[look])}>
        {icon}
        {trigger ?? label}
      </Button>
      <Pop>
        <Dialog aria-label={label} className="outline-none">
          {children(() => setOpen(false))}
        </Dialog>
      </Pop>
    </DialogTrigger>
  );
}
