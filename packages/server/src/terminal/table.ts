/**
 * Rows as the lines of a table, the columns as wide as their widest cell.
 * @param isRight which columns stand at the right, such as those of numbers
 */
export function formatTable(rows: readonly (readonly string[])[], isRight: (column: number) => boolean = () => false): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (isRight(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
