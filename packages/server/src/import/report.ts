import type { JsonObject } from '../kernel/json.js';

/** What happened to one object or event of the source. */
export type Fate = 'imported' | 'translated' | 'present' | 'skipped';

/** Counts of one kind of objects, and why some are not as they were. */
interface KindReport {
  read: number;
  /** Taken as they are. */
  imported: number;
  /** Taken, with the changes that `reasons` name. */
  translated: number;
  /** In the target before. */
  present: number;
  /** Not taken, for the `reasons`. */
  skipped: number;
  reasons: Map<string, { count: number; examples: string[] }>;
}

const EXAMPLES = 5;
/** Reasons of a kind; further ones are counted under one name, so that a report stays readable. */
const MOST_REASONS = 50;
const OTHER = 'for other reasons';

/** Collects what an import did, by kind of object. */
export class ImportReport {
  readonly #kinds = new Map<string, KindReport>();
  readonly #notes: string[] = [];

  /** Counts objects of a kind. `reason` says what is different or why they are not taken, `example` names one of them. */
  count(kind: string, fate: Fate, count = 1, reason?: string, example?: string): void {
    const report = this.#of(kind);
    report.read += count;
    report[fate] += count;
    if (reason !== undefined) this.explain(kind, reason, example, count);
  }

  /** Adds a reason without counting an object. */
  explain(kind: string, reason: string, example?: string, count = 1): void {
    const { reasons } = this.#of(kind);
    const name = reasons.has(reason) || reasons.size < MOST_REASONS ? reason : OTHER;
    const entry = reasons.get(name) ?? { count: 0, examples: [] };
    entry.count += count;
    if (example !== undefined && entry.examples.length < EXAMPLES) entry.examples.push(example);
    reasons.set(name, entry);
  }

  /** A report that nobody reads: for work that is done a second time. */
  ignored(): ImportReport {
    return new ImportReport();
  }

  /** A sentence about the whole import. */
  note(sentence: string): void {
    if (!this.#notes.includes(sentence)) this.#notes.push(sentence);
  }

  /** How many objects of a kind have this fate. */
  total(kind: string, fate: Fate | 'read'): number {
    return this.#kinds.get(kind)?.[fate] ?? 0;
  }

  /** Why objects of a kind are not as they were. */
  reasonsOf(kind: string): string[] {
    return [...(this.#kinds.get(kind)?.reasons.keys() ?? [])];
  }

  /** Whether something of the source is not in the target as it was. */
  hasSkipped(): boolean {
    return [...this.#kinds.values()].some(({ skipped }) => skipped > 0);
  }

  /** For programs. */
  toJson(): JsonObject {
    const kinds = [...this.#kinds].map(([name, { reasons, ...counts }]) => [
      name,
      { ...counts, reasons: [...reasons].map(([reason, { count, examples }]) => ({ reason, count, examples })) },
    ]);
    return { kinds: Object.fromEntries(kinds), notes: [...this.#notes] };
  }

  /** For people: a table, then the reasons. */
  toText(): string {
    const rows = [...this.#kinds];
    if (rows.length === 0) return ['Nothing was found to import.', ...this.#notes].join('\n');
    const head = ['', 'read', 'imported', 'translated', 'present', 'skipped'];
    const cells = rows.map(([name, kind]) => [
      name,
      ...[kind.read, kind.imported, kind.translated, kind.present, kind.skipped].map((n) => n.toLocaleString('en')),
    ]);
    const widths = head.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
    const line = (row: readonly string[]) =>
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ');
    return [line(head), ...cells.map(line), ...rows.flatMap(reasonLines), ...this.#notes].join('\n');
  }

  #of(kind: string): KindReport {
    let report = this.#kinds.get(kind);
    if (!report) {
      report = { read: 0, imported: 0, translated: 0, present: 0, skipped: 0, reasons: new Map() };
      this.#kinds.set(kind, report);
    }
    return report;
  }
}

function reasonLines([name, { reasons }]: [string, KindReport]): string[] {
  return [...reasons].map(([reason, { count, examples }]) => {
    const shown = examples.length > 0 ? ` (${examples.join(', ')}${count > examples.length ? ', …' : ''})` : '';
    return `${name}, ${count.toLocaleString('en')}: ${reason}${shown}`;
  });
}
