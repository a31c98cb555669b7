import { z } from 'zod';

/** A time as the API writes it: `2021-05-02T00:00:00Z`, with microseconds where they are not zero. */
export function isoTime(date: Date): string;
export function isoTime(date: Date | null): string | null;
export function isoTime(date: Date | null): string | null {
  if (!date) return null;
  const iso = date.toISOString();
  return iso.endsWith('.000Z') ? iso.replace('.000Z', 'Z') : iso.replace('Z', '000Z');
}

/** The response schema of an {@link isoTime}. */
export const timeSchema = (description: string) => z.string().describe(description).meta({ format: 'date-time' });
