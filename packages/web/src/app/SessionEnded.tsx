import { useQueryClient } from '@tanstack/react-query';
import { Dialog } from '../ui/Dialog.js';
import { LoginForm } from './LoginForm.js';
import { setLoggedOut, useLoggedOut } from './logged-out.js';

/** A log-in form over the screen when the session has ended, so that nothing that was typed is lost. */
export function SessionEnded() {
  const isLoggedOut = useLoggedOut();
  const queries = useQueryClient();
  return (
    <Dialog title="Your session has ended" isOpen={isLoggedOut} onClose={() => {}} isDismissable={false}>
      <p className="mb-4 text-13 text-text-2">Log in to go on where you are. What you have typed is still there.</p>
      <LoginForm
        onLoggedIn={async () => {
          setLoggedOut(false);
          await queries.invalidateQueries();
        }}
      />
    </Dialog>
  );
}
