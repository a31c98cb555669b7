import { CircleAlert } from 'lucide-react';
import { Button } from '../../ui/Button.js';

/** Why a flag was not saved. */
export interface Refusal {
  message: string;
  /** Somebody changed the flag since it was loaded. */
  isConflict: boolean;
}

export interface SaveRefusalProps {
  refusal: Refusal;
  onTheirs?: () => void;
  onMine?: () => void;
}

/** Tells at the top why a flag was not saved, and what can be done. */
export const SaveRefusal = ({ refusal: { message, isConflict }, onTheirs, onMine }: SaveRefusalProps) => (
  <div role="alert" className="mb-4 flex items-start gap-3 rounded-l border border-border bg-bad-soft p-3 text-13">
    <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-bad" />
    <div className="min-w-0">
      <p className="font-strong">{isConflict ? 'Somebody changed this flag meanwhile' : 'Not saved'}</p>
      <p className="mt-0.5 wrap-anywhere">{placeInWords(message)}</p>
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

/** Names the place of a fault as the editor does: "groups[0].properties[1].value: …" is "Condition 1: …". */
const placeInWords = (message: string): string =>
  message
    .replace(/^groups\[(\d+)\][\w.[\]]*: /, (_, index: string) => `Condition ${Number(index) + 1}: `)
    .replace(/^multivariate\.variants(\[(\d+)\])?[\w.]*: /, (_, _part, index?: string) =>
      index === undefined ? 'Variants: ' : `Variant ${Number(index) + 1}: `,
    )
    .replace(/^payloads\.([\w-]+): /, 'Payload of $1: ');

/** What went wrong, in words. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
