// `npm run conformance`: which behaviours of packages/conformance/LIST.md are tested on which client. Fails when one has neither test nor reason.
import { CLIENTS, coverage } from '../packages/conformance/coverage.mjs';

const rows = coverage();
/** @param {string} state @param {string} [who] */
const count = (state, who) => rows.filter((row) => row.state === state && (!who || row.who === who)).length;

for (const { line, who, state } of rows) {
  if (state === 'reason') console.log(`not tested  ${line.id} on ${CLIENTS[who]}: ${line.reasons[who]}`);
}
console.log('\nclient         lines  tested  in the core  with a reason  missing');
for (const [who, name] of Object.entries(CLIENTS)) {
  const numbers = [
    rows.filter((row) => row.who === who).length,
    ...['itself', 'core', 'reason', 'missing'].map((state) => count(state, who)),
  ];
  const [all, itself, core, reason, missing] = numbers.map(String);
  console.log(
    `${name.padEnd(13)}${all?.padStart(7)}${itself?.padStart(8)}${core?.padStart(13)}${reason?.padStart(15)}${missing?.padStart(9)}`,
  );
}
for (const { line, who, state } of rows) {
  if (state === 'missing') console.log(`MISSING  ${line.id} on ${CLIENTS[who]}: ${line.what}`);
}
process.exitCode = count('missing') ? 1 : 0;
