import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { Link2, X } from 'lucide-react';
import { useProject } from '../../app/project-context.js';
import { type Invite, invite, invitesQuery, takeInviteBack } from '../../data/members.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { useCopied } from '../../ui/CodeBlock.js';
import { IconButton } from '../../ui/IconButton.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { toast } from '../../ui/toast.js';
import { personName } from './Initials.js';
import { useRights } from './rights.js';

/** The address at which an invited person joins. */
export const inviteLink = (id: string): string => `${location.origin}/invite/${id}`;

/** Invites that nobody has accepted yet. */
export function Invites({ query, onInvite }: { query: UseQueryResult<Invite[]>; onInvite: () => void }) {
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-baseline gap-x-2">
        <h2 className="text-14 font-strong">Open invites</h2>
        <p className="text-12 text-text-3">A link works for three days, for the first person who opens it.</p>
      </div>
      <Card className="overflow-hidden">
        {query.error && !query.data ? (
          <Fault title="The invites could not be loaded" detail={query.error.message} onRetry={() => void query.refetch()} />
        ) : !query.data ? (
          <Skeleton rows={2} />
        ) : query.data.length === 0 ? (
          <Message title="No open invites" action={<Button onPress={onInvite}>Invite a person</Button>}>
            You make a link and send it to the person yourself: Tidemark sends no e-mail.
          </Message>
        ) : (
          <ul className="divide-y divide-border">
            {query.data.map((one) => (
              <InviteRow key={one.id} invite={one} />
            ))}
          </ul>
        )}
      </Card>
    </section>
  );
}

const LEVELS = { 1: 'Member', 8: 'Administrator', 15: 'Owner' } as const;

function InviteRow({ invite: one }: { invite: Invite }) {
  const { timezone } = useProject();
  const { organization } = useRights();
  const queries = useQueryClient();
  const [isCopied, copy] = useCopied();
  const refetch = () => queries.invalidateQueries({ queryKey: invitesQuery(organization).queryKey });
  const renew = async () => {
    const { target_email, first_name, level, private_project_access } = one;
    const access = private_project_access.map((project) => ({
      id: project.id,
      level: project.level >= 8 ? (8 as const) : (1 as const),
    }));
    await invite(organization, { target_email, first_name, level, private_project_access: access });
    await refetch();
  };
  const takeBack = async () => {
    try {
      await takeInviteBack(organization, one.id);
      toast(`The invite of ${one.target_email} no longer works.`, {
        label: 'Undo, with a new link',
        onPress: () => void renew(),
      });
    } catch (error) {
      toast(`Not taken back: ${sentenceOf(error)}`);
    }
    await refetch();
  };
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-13">
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
          {one.target_email}
          <Badge kind={one.level > 1 ? 'accent' : 'neutral'}>{LEVELS[one.level]}</Badge>
          {one.is_expired && <Badge kind="warn">Expired</Badge>}
        </p>
        <p className="text-12 text-text-3">
          Invited by {one.created_by ? personName(one.created_by) : 'somebody who is gone'},{' '}
          <Time at={one.created_at} zone={timezone} />
        </p>
      </div>
      {one.is_expired ? (
        <Button isSmall onPress={() => void renew()}>
          Invite again
        </Button>
      ) : (
        <Button
          isSmall
          icon={<Link2 size={14} aria-hidden />}
          aria-label={`Copy link for ${one.target_email}`}
          onPress={() => copy(inviteLink(one.id))}
        >
          {isCopied ? 'Copied' : 'Copy link'}
        </Button>
      )}
      <IconButton isSmall label={`Take back the invite of ${one.target_email}`} onPress={() => void takeBack()}>
        <X size={14} aria-hidden />
      </IconButton>
    </li>
  );
}
