/**
 * The factors with which the columns of `rows` add up to `values`, with the least sum of squared relative errors. No factor is negative:
 * nothing that is measured gets cheaper by more of anything.
 * @throws RangeError when the rows do not determine the factors
 */
export function leastSquares(rows: readonly (readonly number[])[], values: readonly number[]): number[] {
  const width = rows[0]?.length ?? 0;
  let columns = Array.from({ length: width }, (_, index) => index);
  for (;;) {
    const found = solve(
      rows.map((row, at) => columns.map((column) => (row[column] ?? 0) / (values[at] || 1))),
      values.map((value) => value / (value || 1)),
    );
    if (found.every((factor) => factor >= 0)) {
      return Array.from({ length: width }, (_, column) => (columns.includes(column) ? (found[columns.indexOf(column)] ?? 0) : 0));
    }
    const least = found.indexOf(Math.min(...found));
    columns = columns.filter((_, index) => index !== least);
  }
}

/** Solves the normal equations by elimination. */
function solve(rows: readonly (readonly number[])[], values: readonly number[]): number[] {
  const width = rows[0]?.length ?? 0;
  const product = (a: number, b: number) => rows.reduce((total, row) => total + (row[a] ?? 0) * (row[b] ?? 0), 0);
  const matrix = Array.from({ length: width }, (_, a) => [
    ...Array.from({ length: width }, (_, b) => product(a, b)),
    rows.reduce((total, row, at) => total + (row[a] ?? 0) * (values[at] ?? 0), 0),
  ]);
  for (let column = 0; column < width; column++) {
    const rest = matrix.slice(column);
    const best = rest.reduce((a, b) => (Math.abs(b[column] ?? 0) > Math.abs(a[column] ?? 0) ? b : a));
    const pivot = best[column] ?? 0;
    if (Math.abs(pivot) < 1e-12) throw new RangeError('The rows do not determine the factors.');
    matrix.splice(matrix.indexOf(best, column), 1);
    const scaled = best.map((cell) => cell / pivot);
    matrix.splice(column, 0, scaled);
    for (let row = 0; row < width; row++) {
      if (row === column) continue;
      const factor = matrix[row]?.[column] ?? 0;
      matrix[row] = (matrix[row] ?? []).map((cell, at) => cell - factor * (scaled[at] ?? 0));
    }
  }
  return matrix.map((row) => row[width] ?? 0);
}
