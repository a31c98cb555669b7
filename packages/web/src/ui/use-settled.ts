import { useEffect, useState } from 'react';

/** Pause in editing after which a value counts as settled; milliseconds. */
const PAUSE_MS = 300;

/** A text when it has not changed for a while. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
