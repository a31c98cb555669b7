// Reads a Dockerfile, as far as that of this repository goes.

/**
 * An instruction: its word, and the rest of its line, continued lines joined.
 * @typedef {{ word: string, rest: string }} Instruction
 */
/** @typedef {{ image: string, name: string | null, steps: Instruction[] }} Stage */

/** Instructions that the test knows how to follow. */
const KNOWN = ['WORKDIR', 'COPY', 'RUN', 'USER', 'ENV', 'VOLUME', 'EXPOSE', 'STOPSIGNAL', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'];

/** @param {string} text @returns {Stage[]} @throws Error when there is an instruction that nobody would follow */
export function parseDockerfile(text) {
  /** @type {Stage[]} */
  const stages = [];
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim());
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'FROM') {
      const [, image = '', name = null] = /^(\S+)(?: AS (\S+))?$/i.exec(rest) ?? [];
      stages.push({ image, name, steps: [] });
      continue;
    }
    if (!KNOWN.includes(word)) throw new Error(`The Dockerfile has an instruction that this test does not follow: ${line}`);
    stages.at(-1)?.steps.push({ word, rest });
  }
  return stages;
}

/** Words of a list in JSON, or of a line. @param {string} rest @returns {string[]} */
export const wordsOf = (rest) => (rest.startsWith('[') ? JSON.parse(rest) : rest.split(/\s+/));
