import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { recordingsOfPersonQuery } from '../../data/recordings.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';

/** The recorded sessions of a person. */
export function PersonRecordings({ person }: { person: string }) {
  const project = useProjectId();
  const { timezone, session_recording_opt_in: isOn } = useProject();
  const recordings = useQuery(recordingsOfPersonQuery(project, person));
  return (
    <Card>
      {recordings.isPending && <Skeleton rows={4} />}
      {recordings.error && (
        <Fault
          title="Recordings could not be loaded"
          detail={recordings.error.message}
          onRetry={() => void recordings.refetch()}
        />
      )}
      {recordings.data?.results.length === 0 && (
        <Message
          icon={<Play size={16} aria-hidden />}
          title="No session was recorded"
          action={
            !isOn && (
              <Link to={`/p/${project}/settings/recording` as string} className={buttonClass()}>
                Open the settings of recording
              </Link>
            )
          }
        >
          {isOn ? 'Their next visit appears here.' : 'Recording is off in this project.'}
        </Message>
      )}
      <ul aria-label="Recordings" className="divide-y divide-border">
        {recordings.data?.results.map((one) => (
          <li key={one.id} className="relative flex min-h-11 items-center gap-3 px-4 text-13 hover:bg-hover">
            <Play size={14} aria-hidden className="shrink-0 text-text-3" />
            <Link
              to={`/p/${project}/recordings/${one.id}` as string}
              className="min-w-0 flex-1 truncate font-medium text-text after:absolute after:inset-0"
            >
              {one.start_url ?? 'Session'}
            </Link>
            <span className="text-12 text-text-3">
              <Time at={one.start_time} zone={timezone} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
