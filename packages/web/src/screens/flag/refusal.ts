import { ApiFailure } from '../../data/api.js';
import type { Refusal } from '../../ui/SaveRefusal.js';
import { sentenceOf } from '../../ui/sentence-of.js';

/** Why a flag was not saved. */
export function refusalOf(error: unknown): Refusal {
  const isConflict = error instanceof ApiFailure && error.status === 409;
  return {
    title: isConflict ? 'Somebody changed this flag meanwhile' : 'Not saved',
    message: placeInWords(sentenceOf(error)),
    isConflict,
  };
}

/** Names the place of a fault as the editor does: "groups[0].properties[1].value: …" is "Condition 1: …". */
const placeInWords = (message: string): string =>
  message
    .replace(/^groups\[(\d+)\][\w.[\]]*: /, (_, index: string) => `Condition ${Number(index) + 1}: `)
    .replace(/^multivariate\.variants(\[(\d+)\])?[\w.]*: /, (_, _part, index?: string) =>
      index === undefined ? 'Variants: ' : `Variant ${Number(index) + 1}: `,
    )
    .replace(/^payloads\.([\w-]+): /, 'Payload of $1: ');
