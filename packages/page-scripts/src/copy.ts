/** Copies a text, and shows the outcome on the button for two seconds. */
export async function copy(button: HTMLElement, text: string): Promise<void> {
  // a second click within these seconds finds the outcome of the first
  button.dataset['label'] ??= button.textContent ?? '';
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Select and copy by hand';
  }
  setTimeout(() => {
    button.textContent = button.dataset['label'] ?? '';
  }, 2_000);
}
