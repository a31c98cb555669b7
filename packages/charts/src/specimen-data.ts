/** What every kind of chart is drawn with. */
export const STATES = [
  'normal',
  'empty',
  'one point',
  '30 series',
  'long names',
  'negative',
  'tiny',
  'huge',
  'RTL',
  'CJK',
  'emoji',
] as const;
export type State = (typeof STATES)[number];

/** When the numbers were computed. */
export const NOW = { now: Date.parse('2026-11-23T16:31:00Z'), timezone: 'UTC' };
export const DAY_MS = 86_400_000;

const NAMES: Readonly<Partial<Record<State, readonly string[]>>> = {
  'long names': [
    'A name that somebody wrote to explain at length what it is about, with an ending of its own: 1',
    'Internationalisierungsbeauftragtenversammlungsprotokoll',
    'https://shop.example/a/very/long/path/that/nobody/reads?with=parameters',
  ],
  RTL: ['مبيعات الخريف', 'עברית', 'فارسی', 'English'],
  CJK: ['プレミアム会員（年間契約・自動更新）', '新規登録', '订阅者', 'ภาษาไทย'],
  emoji: ['👨‍👩‍👧‍👦 families', '🚀', '🇫🇷 France', 'é́́ combining'],
};

/** What the series of a state are called. */
export const namesOf = (state: State): readonly string[] => {
  if (state === '30 series') return Array.from({ length: 30 }, (_, i) => `Series number ${i + 1}`);
  return NAMES[state] ?? ['Free', 'Starter', 'Pro', 'Team'];
};

/** A number of a state, made from one of about a hundred. */
export function scaled(state: State, value: number): number {
  if (state === 'negative') return -value;
  if (state === 'tiny') return value * 1e-7;
  return state === 'huge' ? value * 1e13 : value;
}
