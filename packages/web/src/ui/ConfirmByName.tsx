import { type ReactNode, useState } from 'react';
import { Button } from './Button.js';
import { Dialog } from './Dialog.js';
import { sentenceOf } from './sentence-of.js';
import { TextField } from './TextField.js';

export interface ConfirmByNameProps {
  title: string;
  /** What is lost, in a sentence. */
  consequence: string;
  /** What must be typed; null: the button is enough. */
  name: string | null;
  confirm: string;
  confirming: string;
  /** Whether it cannot be confirmed yet, such as before the consequence is known. Default: false. */
  isBlocked?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  /** What can be chosen before. */
  children?: ReactNode;
}

/** Asks before something that cannot be undone. */
export function ConfirmByName({
  title,
  consequence,
  name,
  confirm,
  confirming,
  isBlocked = false,
  onConfirm,
  onClose,
  children,
}: ConfirmByNameProps) {
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const run = async () => {
    setBusy(true);
    setFault(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFault(sentenceOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onPress={onClose}>
            Cancel
          </Button>
          <Button
            kind="danger-fill"
            isDisabled={isBlocked || (name !== null && typed !== name)}
            busyLabel={isBusy ? confirming : null}
            onPress={() => void run()}
          >
            {confirm}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <p className="text-13 text-text-2">{consequence}</p>
        {children}
        {name !== null && (
          <TextField label={`Type “${name}” to confirm`} value={typed} onChange={setTyped} autoComplete="off" autoFocus />
        )}
        {fault && (
          <p role="alert" className="text-13 text-bad">
            {fault}
          </p>
        )}
      </div>
    </Dialog>
  );
}
