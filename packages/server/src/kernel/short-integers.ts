const STRING_FLOAT_OR_LONG = /"(?:[^"\\]|\\.)*"|-?\d+\.\d+|-?\d{19,}/g;

/** The same JSON text with integers that may not fit 64 bits in exponent form: the event store refuses the others. */
export function shortIntegers(json: string): string {
  if (!/\d{19}/.test(json)) return json;
  return json.replace(STRING_FLOAT_OR_LONG, (token) => (/^-?\d+$/.test(token) ? Number(token).toExponential() : token));
}
