import { type ReactNode, Suspense } from 'react';
import { lazyPart } from './lazy-part.js';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Whether Esc and a press outside close it. Default: true. */
  isDismissable?: boolean;
  isWide?: boolean;
  children: ReactNode;
  /** Buttons at the foot, the main one last. */
  footer?: ReactNode;
}

const DialogBox = lazyPart(async () => (await import('./DialogBox.js')).DialogBox);

/** For what leaves the scope of the screen. On phones it is a sheet from below. Its code is loaded when one opens first. */
export const Dialog = ({ isOpen, ...props }: DialogProps) =>
  isOpen && (
    <Suspense>
      <DialogBox {...props} />
    </Suspense>
  );
