import { Suspense } from 'react';
import { lazyPart } from '../ui/lazy-part.js';
import { useLoggedOut } from './logged-out.js';

const SessionEndedDialog = lazyPart(async () => (await import('./SessionEndedDialog.js')).SessionEndedDialog);

/** A log-in form over the screen when the session has ended, so that nothing that was typed is lost. */
export const SessionEnded = () =>
  useLoggedOut() && (
    <Suspense>
      <SessionEndedDialog />
    </Suspense>
  );
