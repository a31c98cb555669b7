import { CircleAlert } from 'lucide-react';

/** Says at the top why a change was refused. */
export const Refused = ({ message }: { message: string }) => (
  <p role="alert" className="mb-4 flex items-start gap-2 rounded-l border border-border bg-bad-soft p-3 text-13">
    <CircleAlert size={16} aria-hidden className="mt-px shrink-0 text-bad" />
    <span className="min-w-0 wrap-anywhere">{message}</span>
  </p>
);
