import type { OpenSurvey } from '@tidemark/client';

export type Appearance = NonNullable<OpenSurvey['survey']['appearance']>;

/** Settings of a survey's appearance, which are those of posthog-js, and the variables of the style sheet that they set. */
const VARIABLES: Readonly<Record<string, string>> = {
  backgroundColor: 'background',
  textColor: 'text',
  textSubtleColor: 'muted',
  borderColor: 'border',
  submitButtonColor: 'accent',
  submitButtonTextColor: 'accent-text',
  ratingButtonColor: 'rating',
  ratingButtonActiveColor: 'rating-active',
  inputBackground: 'input',
  inputTextColor: 'input-text',
  fontFamily: 'font',
  maxWidth: 'width',
  boxPadding: 'padding',
  borderRadius: 'radius',
  boxShadow: 'shadow',
  zIndex: 'z-index',
};

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);

/** Applies the appearance by the CSSOM: a strict Content-Security-Policy refuses style attributes. */
export function dress(host: HTMLElement, card: HTMLElement, appearance: Appearance): void {
  const set = (name: string, value: string) => host.style.setProperty(`--set-${name}`, value);
  for (const [setting, name] of Object.entries(VARIABLES)) {
    const value = appearance[setting];
    if (value !== undefined && value !== null && value !== '') set(name, String(value));
  }
  const background = textOf(appearance['backgroundColor']);
  const isDark = background === undefined ? undefined : isDarkColor(card, background);
  const theme = isDark === undefined ? appearance['theme'] : isDark ? 'dark' : 'light';
  if (theme === 'dark' || theme === 'light') card.classList.add(theme);
  // muted text could be too weak on a background that is not ours
  if (background && !appearance['textSubtleColor']) set('muted', 'currentColor');
  for (const [from, to] of [
    ['submitButtonColor', 'accent-text'],
    ['ratingButtonActiveColor', 'rating-active-text'],
    ['ratingButtonColor', 'rating-text'],
    ['inputBackground', 'input-text'],
  ] as const) {
    const color = textOf(appearance[from]);
    const isSet =
      to === 'accent-text' ? appearance['submitButtonTextColor'] : to === 'input-text' && appearance['inputTextColor'];
    if (color && !isSet) set(to, isDarkColor(card, color) ? '#fff' : '#0d1318');
  }
  const { position } = appearance;
  const [, row, column] = /^(?:(top|middle)_)?(left|center|right)$/.exec(String(position)) ?? [];
  if (row) host.classList.add(row);
  if (column) host.classList.add(column);
}

/** Whether white text has more contrast on a colour than black text; false for a colour that cannot be read. */
function isDarkColor(element: HTMLElement, color: string): boolean {
  element.style.color = color;
  const channels = element.style.color ? (getComputedStyle(element).color.match(/[\d.]+/g) ?? []) : [];
  element.style.color = '';
  const [red, green, blue] = channels.map((channel) => {
    const share = Number(channel) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return red !== undefined && green !== undefined && blue !== undefined && 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179;
}
