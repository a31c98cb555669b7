/** Formats a duration: `0:07`, `12:05`, `1:02:05`. */
export function lengthOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Formats a duration for screen readers: `12 minutes 5 seconds`. */
export function lengthInWords(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ];
  const words = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return words.join(' ') || '0 seconds';
}
