import { useEffect, useState } from 'react';

/** State that survives a reload of the tab. @param place its name in the storage of the tab; null there and here: nothing */
export function useSessionState<Value>(place: string) {
  const [value, setValue] = useState<Value | null>(() => readSession(place));
  useEffect(() => {
    if (value === null) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(value));
  }, [value, place]);
  return [value, setValue] as const;
}

function readSession<Value>(place: string): Value | null {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? 'null') as Value | null;
  } catch {
    return null;
  }
}
