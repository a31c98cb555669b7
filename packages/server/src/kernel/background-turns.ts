/** Turns of other work that may go before one of the background. */
const TURNS_BEFORE = 4;

/**
 * Shares turns between work in the background and other work, which goes first in four of five turns while both wait.
 * @returns a function that tells whether the next turn is the background's, by how much of both waits
 */
export function createBackgroundTurns(): (waiting: number, inBackground: number) => boolean {
  let turnsBefore = 0;
  return (waiting, inBackground) => {
    if (inBackground === 0) return false;
    turnsBefore = waiting > 0 && turnsBefore < TURNS_BEFORE ? turnsBefore + 1 : 0;
    return turnsBefore === 0;
  };
}
