/** A number after a word of the command, such as `--events 3M` or `--service 20K`. */
export function numberAfter(word: string, otherwise: number): number {
  const words = process.argv.slice(2);
  const given = words.includes(word) ? (words[words.indexOf(word) + 1] ?? '') : '';
  const factor = given.endsWith('M') ? 1e6 : given.endsWith('K') ? 1e3 : 1;
  return given ? Number.parseFloat(given) * factor : otherwise;
}
