import { stolenShare } from './stolen.js';

/** One measured figure and its target; without `atLeast` and `below` it is informational. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  atLeast?: number;
  below?: number;
}

/** Prints the table and returns whether every target was met. */
export function report(title: string, figures: readonly Figure[]): boolean {
  const rows = figures.map((figure) => [
    figure.name,
    `${format(figure.value)} ${figure.unit}`.trim(),
    target(figure),
    verdict(figure),
  ]);
  const table = [['', 'measured', 'target', ''], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  console.log(`\n${title}`);
  for (const row of table) console.log(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
  const stolen = stolenShare();
  if (stolen !== null)
    console.log(`  ${(stolen * 100).toFixed(1)} % of the processor time of this run went to other machines of the host`);
  return figures.every(meets);
}

/** Ends the process: 1 when a target was missed, unless `--no-gate` was given. */
export function finish(met: boolean): never {
  process.exit(met || process.argv.includes('--no-gate') ? 0 : 1);
}

function meets({ value, atLeast, below }: Figure): boolean {
  return !(atLeast !== undefined && !(value >= atLeast)) && !(below !== undefined && !(value < below));
}

function target({ atLeast, below, unit }: Figure): string {
  if (atLeast !== undefined) return `at least ${format(atLeast)} ${unit}`.trim();
  return below === undefined ? '' : `below ${format(below)} ${unit}`.trim();
}

function verdict(figure: Figure): string {
  if (figure.atLeast === undefined && figure.below === undefined) return '';
  return meets(figure) ? 'ok' : 'MISSED';
}

function format(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}
