import { createContext, type ReactNode } from 'react';
import { fibersFrom } from './touched-elements.js';

interface TapTargetProps {
  onTap: (() => void) | undefined;
  children: ReactNode;
}

/** Hears of taps on its content from the `TouchAutocapture` around it. It renders nothing of its own, so the layout is that of the content. */
export function TapTarget({ children }: TapTargetProps): ReactNode {
  return children;
}

/** Whether there is a `TouchAutocapture` above. */
export const TapsAreCaptured = createContext(false);

/** Notifies every target around the touched element. */
export function tellTapTargets(fiber: unknown): void {
  for (const { type, props } of fibersFrom(fiber)) {
    if (type === TapTarget && typeof props['onTap'] === 'function') props['onTap']();
  }
}
