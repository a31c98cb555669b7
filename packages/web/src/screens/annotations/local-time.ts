/** A moment as an input of date and time has it, in a zone: `2026-03-01T09:30`. */
export function localOf(at: string, zone: string): string {
  // Swedish writes dates as ISO does
  const text = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone: zone }).format(new Date(at));
  return text.replace(' ', 'T');
}

/** The moment of a local time in a zone, ISO 8601. A time that the clocks skip counts as the one after. */
export function instantOf(local: string, zone: string): string {
  const wanted = Date.parse(`${local}Z`);
  const offsetAt = (instant: number) =>
    Date.parse(`${localOf(new Date(instant).toISOString(), zone)}Z`) - Math.floor(instant / 60_000) * 60_000;
  // the offset may change between the guess and the moment
  const guess = wanted - offsetAt(wanted);
  return new Date(wanted - offsetAt(guess)).toISOString();
}
