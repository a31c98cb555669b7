import { isoPattern } from '@tidemark/flags/iso-date';
import type { Cell } from './table.js';

const TIME = isoPattern({ longFraction: true });
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Formats the cells of a column of times: `21 Nov, 22:30`; without the clock when all are midnights, with the year when the years differ.
 * Null: not all cells are times. `isMonthly`: `Nov 2026`.
 */
export function timeFormatOf(cells: readonly Cell[], isMonthly = false): ((cell: Cell) => string) | null {
  const times = cells.filter((cell) => cell !== null).map((cell) => (typeof cell === 'string' ? TIME.exec(cell) : null));
  if (times.length === 0 || times.some((time) => time === null)) return null;
  const isDays = times.every((time) => (time?.[4] ?? '00') === '00' && (time?.[5] ?? '00') === '00');
  const hasYears = new Set(times.map((time) => time?.[1])).size > 1;
  return (cell) => {
    const [, year = '', month, day, hour = '00', minute = '00'] = TIME.exec(String(cell)) ?? [];
    const name = MONTHS[Number(month) - 1] ?? month;
    if (isMonthly) return `${name} ${year}`;
    const date = `${Number(day)} ${name}${hasYears ? ` ${year}` : ''}`;
    return isDays ? date : `${date}, ${hour}:${minute}`;
  };
}
