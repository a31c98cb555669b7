import { X } from 'lucide-react';
import { useProjectId } from '../../app/project-context.js';
import { CodeBlock, CopyButton } from '../../ui/CodeBlock.js';
import { IconButton } from '../../ui/IconButton.js';
import { accessOf } from './scopes.js';

/** A key that was just created or rolled, with a call that uses it. It is shown this once. */
export function FreshKey({
  label,
  value,
  scopes,
  onClose,
}: {
  label: string;
  value: string;
  scopes: readonly string[];
  onClose: () => void;
}) {
  const project = useProjectId();
  const curl = `curl ${location.origin}${examplePath(scopes, project)} \\\n  -H "Authorization: Bearer ${value}"`;
  return (
    <section aria-label="New key" className="grid gap-2.5 rounded-l bg-good-soft p-4">
      <div className="flex items-center gap-2">
        <p className="flex-1 text-13 font-medium text-good">“{label}” is ready. Copy it now: it is shown this once.</p>
        <IconButton isSmall label="Hide the key" onPress={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 rounded-m bg-surface px-3 py-1.5 font-mono text-12 wrap-anywhere">{value}</code>
        <CopyButton text={value} what="the key" isSmall={false} />
      </div>
      <CodeBlock code={curl} what="a call with the key" />
    </section>
  );
}

/** An address that the key may read. */
function examplePath(scopes: readonly string[], project: string): string {
  const lists = {
    insight: 'insights',
    dashboard: 'dashboards',
    feature_flag: 'feature_flags',
    person: 'persons',
    cohort: 'cohorts',
  };
  const found = Object.entries(lists).find(([object]) => accessOf(scopes, object) !== 'none');
  if (found) return `/api/projects/${project}/${found[1]}/`;
  return accessOf(scopes, 'project') === 'none' ? '/api/personal_api_keys/@current/' : `/api/projects/${project}/`;
}
