import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useProject } from '../../app/project-context.js';
import { endOtherSessions, endSession, sessionsQuery } from '../../data/profile.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { Fault, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { toast } from '../../ui/toast.js';
import { Section } from './SettingsPage.js';

/** Where the person is logged in. Any of it can be ended. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const { timezone } = useProject();
  const queries = useQueryClient();
  const run = async (change: () => Promise<unknown>) => {
    try {
      await change();
    } catch (error) {
      toast(`Not logged out: ${sentenceOf(error)}`);
    }
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  const others = sessions.data?.filter(({ is_current }) => !is_current) ?? [];
  return (
    <Section title="Where you are logged in" lead="A browser that you do not know: log it out, then change your password.">
      {sessions.error && !sessions.data ? (
        <Fault title="The sessions could not be loaded" detail={sessions.error.message} onRetry={() => void sessions.refetch()} />
      ) : !sessions.data ? (
        <Skeleton rows={2} />
      ) : (
        <>
          <ul className="divide-y divide-border">
            {sessions.data.map((session) => (
              <li key={session.id} className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 py-2">
                <div className="min-w-0 flex-1 basis-40">
                  <p className="flex flex-wrap items-center gap-2 text-13 font-medium">
                    {session.device}
                    {session.is_current && <Badge kind="good">This browser</Badge>}
                  </p>
                  <p className="text-12 text-text-3">
                    {session.address && `From ${session.address}. `}
                    {session.last_used_at && (
                      <>
                        Last used <Time at={session.last_used_at} zone={timezone} />.{' '}
                      </>
                    )}
                    Logged in <Time at={session.created_at} zone={timezone} />
                  </p>
                </div>
                {!session.is_current && (
                  <Button isSmall aria-label={`Log out ${session.device}`} onPress={() => void run(() => endSession(session.id))}>
                    Log out
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {others.length > 1 && (
            <div className="mt-3">
              <Button kind="danger" onPress={() => void run(endOtherSessions)}>
                Log out all others
              </Button>
            </div>
          )}
        </>
      )}
    </Section>
  );
}
