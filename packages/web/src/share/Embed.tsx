import type { Sharing } from '../data/sharing.js';
import { CodeBlock } from '../ui/CodeBlock.js';
import { Skeleton } from '../ui/states.js';

export interface EmbedProps {
  sharing: Sharing;
  name: string;
  /** Whether a change of sharing is not stored yet. Until then the page may not be there, and a frame would stay blank. */
  isChanging: boolean;
}

/** The code that embeds the public page in another one, and how it looks there. */
export function Embed({ sharing, name, isChanging }: EmbedProps) {
  if (!sharing.enabled)
    return <p className="text-13 text-text-2">Turn the public link on first: an embedded page is public, too.</p>;
  if (sharing.password_required)
    return (
      <p className="text-13 text-text-2">
        A page with a password cannot be embedded, because browsers keep the password from frames of other sites. Turn the
        password off, or share the link.
      </p>
    );
  const address = `${location.origin}/embedded/${sharing.access_token}`;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <CodeBlock
        what="the embed code"
        code={`<iframe src="${address}" width="100%" height="600" frameborder="0" title="${escaped(name)}"></iframe>`}
      />
      <p className="text-12 font-medium text-text-2">Preview</p>
      <div className="relative h-80 overflow-hidden rounded-l border border-border">
        {isChanging ? (
          <div className="p-4">
            <Skeleton rows={4} />
          </div>
        ) : (
          // half the size, so that the page has the width that it will have
          <iframe
            key={`${sharing.access_token} ${JSON.stringify(sharing.settings)}`}
            title="Preview"
            src={address}
            className="absolute top-0 left-0 h-[200%] w-[200%] origin-top-left scale-50 border-0"
          />
        )}
      </div>
    </div>
  );
}

/** A text as it stands in an attribute of HTML. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
