import { getRouteApi, Link } from '@tanstack/react-router';
import { useProjectId } from '../../app/project-context.js';
import { PageHead } from '../../ui/PageHead.js';

const route = getRouteApi('/p/$project/recordings/$id');

/**
 * Plays a recording. The player is a page of the service in a frame: the recorded page inherits the policy of the document around it, and
 * would lose its styles under that of the app.
 */
export function RecordingScreen() {
  const project = useProjectId();
  const { id } = route.useParams();
  const { t } = route.useSearch();
  return (
    <>
      <PageHead crumb={<Link to={`/p/${project}/recordings` as string}>Recordings</Link>} title="Session" />
      <iframe
        title="Player"
        src={`/api/projects/${project}/session_recordings/${encodeURIComponent(id)}/player/${t ? `?t=${t}` : ''}`}
        className="min-h-0 w-full flex-1 border-0"
      />
    </>
  );
}
