import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatDuration } from '@tidemark/charts';
import { Play } from 'lucide-react';
import { LoadFault } from '../../app/LoadFault.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { recordingsQuery } from '../../data/persons.js';
import { Badge } from '../../ui/Badge.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { PageBody, PageHead } from '../../ui/PageHead.js';
import { Message, Skeleton } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';

/** The recorded sessions of the project, the latest first. */
export function RecordingsScreen() {
  const project = useProjectId();
  const { timezone, session_recording_opt_in } = useProject();
  const recordings = useQuery(recordingsQuery(project, null));
  return (
    <>
      <PageHead title="Recordings" />
      <PageBody>
        <Card>
          {recordings.isPending && <Skeleton rows={8} />}
          {recordings.error && <LoadFault what="recordings" error={recordings.error} onRetry={() => void recordings.refetch()} />}
          {recordings.data?.results.length === 0 && (
            <Message
              icon={<Play size={16} aria-hidden />}
              title="No recordings yet"
              action={
                session_recording_opt_in ? null : (
                  <Link to={`/p/${project}/settings/recording` as string} className={buttonClass()}>
                    Open the settings of recording
                  </Link>
                )
              }
            >
              {session_recording_opt_in
                ? 'Sessions appear here while visitors use your pages.'
                : 'Recording is off in this project. Texts that visitors type are masked when it is on.'}
            </Message>
          )}
          <ul className="divide-y divide-border">
            {recordings.data?.results.map((one) => (
              <li key={one.id} className="relative flex min-h-[50px] flex-wrap items-center gap-3 px-4 py-2 hover:bg-hover">
                <div className="min-w-0 flex-1">
                  <Link
                    to={`/p/${project}/recordings/${one.id}` as string}
                    className="block truncate font-medium text-text after:absolute after:inset-0"
                  >
                    {one.person?.name ?? one.distinct_id}
                  </Link>
                  <p className="truncate text-12 text-text-3">{one.start_url}</p>
                </div>
                {one.ongoing && <Badge kind="good">Going on</Badge>}
                {!!one.console_error_count && <Badge kind="bad">{`${one.console_error_count} errors`}</Badge>}
                <span className="tnum text-12 text-text-2">{one.click_count} clicks</span>
                <span className="tnum w-16 text-right text-12 text-text-2">
                  {formatDuration(Math.round(one.recording_duration))}
                </span>
                <span className="w-24 text-right text-12 text-text-3">
                  <Time at={one.start_time} zone={timezone} />
                </span>
              </li>
            ))}
          </ul>
        </Card>
      </PageBody>
    </>
  );
}
