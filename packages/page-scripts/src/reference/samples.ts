/** What a reader has typed into the form of an operation. */
export interface Typed {
  /** Path and query, encoded. */
  address: string;
  /** Text of the body; undefined for operations without one. */
  body: string | undefined;
}

/** Shows in the samples of an operation what its form has, at each change of the form. */
export function fillSamples(operation: HTMLElement): void {
  const form = operation.querySelector('form');
  form?.addEventListener('input', () => {
    for (const input of form.querySelectorAll('input')) {
      const spans = input.dataset['place'] === 'path' ? operation.querySelectorAll(`[data-param="${input.name}"]`) : [];
      for (const span of spans) span.textContent = encodePath(input.value) || `{${input.name}}`;
    }
    for (const span of operation.querySelectorAll('[data-query]')) span.textContent = queryOf(form);
    const body = bodyOf(form);
    for (const span of operation.querySelectorAll<HTMLElement>('[data-body]')) {
      span.textContent =
        span.dataset['body'] === 'shell' ? (body ?? '').replaceAll("'", "'\\''") : (body ?? '').replaceAll('\n', '\n  ');
    }
  });
}

/** Reads the form of an operation. */
export function readForm(operation: HTMLElement, form: HTMLFormElement): Typed {
  const path = (operation.dataset['path'] ?? '').replace(/\{(\w+)\}/g, (whole, name: string) => {
    const input = form.querySelector<HTMLInputElement>(`input[data-place="path"][name="${name}"]`);
    return input ? encodePath(input.value) : whole;
  });
  return { address: path + queryOf(form), body: bodyOf(form) };
}

const bodyOf = (form: HTMLFormElement): string | undefined => form.querySelector('textarea')?.value;

function queryOf(form: HTMLFormElement): string {
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll<HTMLInputElement>('input[data-place="query"]')) {
    if (input.value) query.append(input.name, input.value);
  }
  const text = query.toString();
  return text && `?${text}`;
}

const encodePath = (text: string): string => encodeURIComponent(text.trim()).replaceAll('%40', '@');
