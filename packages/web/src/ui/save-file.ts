/** The browser reads the file after the click; until then its address must stand. */
const READ_MS = 60_000;

/** Downloads a file that the page has. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), READ_MS);
}
