/** What a thrown value says, for a message to the person at the screen. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
