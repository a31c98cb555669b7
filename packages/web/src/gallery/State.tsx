import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/Button.js';

export interface StateProps {
  /** The properties that make it, in a few words. */
  is: string;
  /** Whether its first button is pressed at once: for states that only a press leads to. */
  isPressed?: boolean;
  children: ReactNode;
}

/** One state of a control. */
export function State({ is, isPressed = false, children }: StateProps) {
  const content = useRef<HTMLDivElement>(null);
  const wasPressed = useRef(false);
  useEffect(() => {
    if (!isPressed || wasPressed.current) return;
    wasPressed.current = true;
    content.current?.querySelector('button')?.click();
  }, [isPressed]);
  return (
    <figure>
      <figcaption>{is}</figcaption>
      <div ref={content}>{children}</div>
    </figure>
  );
}

/** A value that its control changes. */
export function Value<Type>({ of, children }: { of: Type; children: (value: Type, set: (value: Type) => void) => ReactNode }) {
  const [value, set] = useState(of);
  return children(value, set);
}

/** A button for what opens over the page. */
export function Opener({ label, children }: { label: string; children: (close: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onPress={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}

export const LONG = 'Weekly active people of the plan “Enterprise with single sign-on”, without our own test accounts';
/** A text without a place to break. */
export const UNBROKEN = 'a_property_name_that_somebody_generated_from_the_path_of_a_file_and_that_nobody_ever_shortened';
