/** Limit of the characters of a text, and of the members in it. */
const MOST = 1000;

/**
 * A value that a page logs, as text like JSON, cut at 1,000 characters. The work is bounded whatever the value holds (but for a list of the
 * names of its members), and no code of the page runs: neither getters nor `toJSON` nor `toString`.
 */
export function loggedText(value: unknown): string {
  const parents: object[] = [];
  let text = '';
  let left = MOST;
  const putMembers = (value: object) => {
    const names = Array.isArray(value) ? undefined : Object.keys(value);
    text += names ? '{' : '[';
    const count = names?.length ?? Number(Object.getOwnPropertyDescriptor(value, 'length')?.value);
    for (let at = 0; at < count && left-- > 0 && text.length < MOST; at++) {
      const name = names?.[at] ?? String(at);
      if (at) text += ',';
      if (names) text += `${JSON.stringify(name.slice(0, MOST))}:`;
      const member = Object.getOwnPropertyDescriptor(value, name);
      if (member?.get) text += '"[getter]"';
      else put(member?.value);
    }
    text += names ? '}' : ']';
  };
  const put = (value: unknown): void => {
    if (typeof value === 'string') text += JSON.stringify(value.slice(0, MOST));
    else if (typeof value !== 'object' || value === null) text += plain(value);
    else if (value instanceof Error) text += parents.length ? JSON.stringify(stackOf(value)) : stackOf(value);
    else if (value instanceof Date) text += JSON.stringify(new Date(Date.prototype.getTime.call(value)));
    // their members are as many as their characters or bytes
    else if (ArrayBuffer.isView(value) || value instanceof String) text += '{}';
    else if (parents.includes(value)) text += '"[circular]"';
    else {
      parents.push(value);
      putMembers(value);
      parents.pop();
    }
  };
  try {
    put(value);
  } catch {
    // a proxy that throws
    text += '[unreadable]';
  }
  return text.slice(0, MOST);
}

function plain(value: unknown): string {
  if (typeof value === 'function') return '"[function]"';
  // a number of many digits takes long to write
  return typeof value === 'bigint' && (value > 1e21 || value < -1e21) ? '"[bigint]"' : String(value);
}

/** The stack as the browser writes it, in a property of the error or by a getter of its own; else the message. */
function stackOf(error: Error): string {
  const own = Object.getOwnPropertyDescriptor(error, 'stack');
  const native =
    Object.getOwnPropertyDescriptor(new Error(), 'stack') ?? Object.getOwnPropertyDescriptor(Error.prototype, 'stack');
  const stack: unknown = own?.get === native?.get ? ((own ?? native)?.get?.call(error) ?? own?.value) : own?.value;
  const message: unknown = Object.getOwnPropertyDescriptor(error, 'message')?.value;
  return String(typeof stack === 'string' ? stack : `Error: ${typeof message === 'string' ? message : ''}`).slice(0, MOST);
}
