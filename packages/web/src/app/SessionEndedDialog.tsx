import { useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { meQuery } from '../data/session.js';
import { Dialog } from '../ui/Dialog.js';
import { forgetPerson } from './forget-person.js';
import { LoginForm } from './LoginForm.js';
import { setLoggedOut } from './logged-out.js';

/** Id of the person whose screen it is; undefined: the screen is nobody's. */
const personOf = (context: object): number | undefined =>
  'me' in context ? (context as { me: { id: number } }).me.id : undefined;

/** A log-in form over the screen when the session has ended, so that nothing that was typed is lost. */
export function SessionEndedDialog() {
  const queries = useQueryClient();
  const before = useRouterState({ select: ({ matches }) => matches.map(({ context }) => personOf(context)).find(Boolean) });
  return (
    <Dialog title="Your session has ended" isOpen onClose={() => {}} isDismissable={false}>
      <p className="mb-4 text-13 text-text-2">Log in to go on where you are. What you have typed is still there.</p>
      <LoginForm
        onLoggedIn={async () => {
          const me = await queries.fetchQuery({ ...meQuery, staleTime: 0 });
          if (before !== undefined && before !== me?.id) {
            // the screen and its drafts are those of somebody else
            forgetPerson(queries);
            location.assign('/');
            return;
          }
          setLoggedOut(false);
          await queries.invalidateQueries();
        }}
      />
    </Dialog>
  );
}
