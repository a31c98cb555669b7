import { CircleAlert } from 'lucide-react';
import { Button } from './Button.js';

/** Why something was not saved. */
export interface Refusal {
  title: string;
  message: string;
  /** Somebody changed it since it was loaded. */
  isConflict: boolean;
}

export interface SaveRefusalProps {
  refusal: Refusal;
  onTheirs?: () => void;
  onMine?: () => void;
}

/** Tells at the top why something was not saved, and what can be done. */
export const SaveRefusal = ({ refusal: { title, message, isConflict }, onTheirs, onMine }: SaveRefusalProps) => (
  <div role="alert" className="mb-4 flex items-start gap-3 rounded-l border border-border bg-bad-soft p-3 text-13">
    <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-bad" />
    <div className="min-w-0">
      <p className="font-strong">{title}</p>
      <p className="mt-0.5 wrap-anywhere">{message}</p>
      {isConflict && (
        <p className="mt-2 flex flex-wrap gap-2">
          <Button isSmall onPress={() => onTheirs?.()}>
            Drop my changes and show theirs
          </Button>
          <Button isSmall kind="danger" onPress={() => onMine?.()}>
            Save mine over theirs
          </Button>
        </p>
      )}
    </div>
  </div>
);
