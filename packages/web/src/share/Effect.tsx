import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useProjectId } from '../app/project-context.js';
import { type Audience, type AudienceChange, audienceQuery, type Shared } from '../data/sharing.js';

export interface EffectProps {
  shared: Shared;
  /** The change that is thought of. */
  change: AudienceChange;
  /** What the change would mean, in a sentence. */
  children: (audience: Audience) => string;
}

/** What a change of sharing would mean, before anybody makes it. */
export function Effect({ shared, change, children }: EffectProps) {
  const project = useProjectId();
  const { data } = useQuery({ ...audienceQuery(project, shared, change), placeholderData: keepPreviousData });
  return data ? <span className="text-12 text-text-2">{children(data)}</span> : null;
}
