import { getRouteApi, Link } from '@tanstack/react-router';
import { Share2 } from 'lucide-react';
import { useState } from 'react';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { useNoteView } from '../../data/recently-viewed.js';
import { ShareDialog } from '../../share/ShareDialog.js';
import { Button } from '../../ui/Button.js';
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
  const [isSharing, setSharing] = useState(false);
  const mayShare = useMayCreate('session_recording');
  useNoteView(project, 'session_recording', id);
  return (
    <>
      <PageHead
        crumb={<Link to={`/p/${project}/recordings` as string}>Recordings</Link>}
        title="Session"
        actions={
          mayShare && (
            <Button icon={<Share2 size={14} aria-hidden />} onPress={() => setSharing(true)}>
              Share
            </Button>
          )
        }
      />
      <iframe
        title="Player"
        src={`/api/projects/${project}/session_recordings/${encodeURIComponent(id)}/player/${t ? `?t=${t}` : ''}`}
        className="min-h-0 w-full flex-1 border-0"
      />
      {isSharing && (
        <ShareDialog
          shared={{ kind: 'session_recording', id }}
          name="Session"
          {...(t && { at: Number(t) })}
          onClose={() => setSharing(false)}
        />
      )}
    </>
  );
}
