import { CircleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Form as AriaForm } from 'react-aria-components';
import { Button } from './Button.js';
import { classNames } from './class-names.js';
import { sentenceOf } from './sentence-of.js';

/** A refusal that names a field, as the API sends it. */
interface Refusal {
  attr?: string | null;
}

export interface FormProps {
  /** The names of fields; a refusal of another field is shown above the button. */
  fields: readonly string[];
  /** The words of the button, and those while it runs. */
  submit: string;
  submitting: string;
  /** Gets the values by name. What it rejects with is shown at the field that its `attr` names. */
  onSubmit: (values: Record<string, string>) => Promise<unknown>;
  className?: string;
  children: ReactNode;
}

/** A form with one button. Faults stand at their fields, and the rest above the button. */
export function Form({ fields, submit, submitting, onSubmit, className, children }: FormProps) {
  const [isBusy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [fault, setFault] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const isRefused = Object.keys(errors).length > 0;

  // A refused field counts as invalid, and the browser does not send a form with one. The refusal was about the values of then: another
  // field may have been at fault, or what was in the way is gone.
  useEffect(() => {
    const element = form.current;
    if (!isRefused || !element) return;
    let isAgain = false;
    const sendAgain = ({ target }: Event) => {
      if (isAgain || !(target as HTMLInputElement).validity.customError) return;
      isAgain = true;
      setErrors({});
      // not before the attempt that the browser refuses has ended
      setTimeout(() => element.requestSubmit());
    };
    element.addEventListener('invalid', sendAgain, true);
    return () => element.removeEventListener('invalid', sendAgain, true);
  }, [isRefused]);

  async function send(form: HTMLFormElement): Promise<void> {
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    setBusy(true);
    setFault(null);
    setErrors({});
    try {
      await onSubmit(values);
    } catch (error) {
      const { attr } = error as Refusal;
      const text = sentenceOf(error);
      if (attr && fields.includes(attr)) setErrors({ [attr]: text });
      else setFault(text);
    } finally {
      setBusy(false);
    }
  }

  return (
    <AriaForm
      ref={form}
      validationErrors={errors}
      onSubmit={(event) => {
        event.preventDefault();
        void send(event.currentTarget);
      }}
      className={classNames('grid gap-4', className)}
    >
      {children}
      {fault && (
        <p role="alert" className="flex items-start gap-2 rounded-m bg-bad-soft px-3 py-2 text-13 text-bad">
          <CircleAlert size={16} aria-hidden className="mt-px shrink-0" />
          {fault}
        </p>
      )}
      <div>
        <Button type="submit" kind="primary" busyLabel={isBusy ? submitting : null}>
          {submit}
        </Button>
      </div>
    </AriaForm>
  );
}
