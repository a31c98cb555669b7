import { isoPattern } from '@tidemark/flags/iso-date';
import { bucketText, dateText, momentOf } from '../axes/calendar-ticks.js';
import type { Cell } from '../table.js';

const TIME = isoPattern({ longFraction: true });

/**
 * Formats the cells of a column of times: `21 Nov, 22:30`; without the clock when all are midnights, with the year when the years differ.
 * `isMonthly`: `Nov 2026`. Null: not all cells are times.
 */
export function timeFormatOf(cells: readonly Cell[], isMonthly = false): ((cell: Cell) => string) | null {
  const times = cells.filter((cell) => cell !== null).map((cell) => (TIME.test(String(cell)) ? momentOf(String(cell)) : null));
  if (times.length === 0 || times.some((time) => time === null)) return null;
  const isDays = times.every((time) => time?.hour === 0 && time.minute === 0);
  const hasYears = new Set(times.map((time) => time?.year)).size > 1;
  return (cell) => {
    const time = momentOf(String(cell));
    if (!time) return String(cell);
    if (isMonthly) return bucketText(time, 'month');
    const date = dateText(time, 'day', hasYears);
    return isDays ? date : `${date}, ${[time.hour, time.minute].map((part) => String(part).padStart(2, '0')).join(':')}`;
  };
}
