import { type ReactNode, useState } from 'react';
import { Button, Dialog, DialogTrigger } from 'react-aria-components';
import { Pop } from './Pop.js';

export interface PopButtonProps {
  label: string;
  icon?: ReactNode;
  /** What opens beside the button. */
  children: (close: () => void) => ReactNode;
}

/** A button that adds something chosen from what opens beside it. */
export function PopButton({ label, icon, children }: PopButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Button className="inline-flex h-7 items-center gap-1 rounded-m border border-dashed border-border-strong px-2 text-12 text-text-2 hover:bg-hover pointer-coarse:h-11">
        {icon}
        {label}
      </Button>
      <Pop>
        <Dialog aria-label={label} className="outline-none">
          {children(() => setOpen(false))}
        </Dialog>
      </Pop>
    </DialogTrigger>
  );
}
