import { type ComponentType, useState } from 'react';
import { applyTheme, storedTheme, type ThemeMode } from '../app/theme.js';
import { Segmented } from '../ui/Segmented.js';
import { Toasts } from '../ui/toast.js';
import { buttons } from './buttons.js';
import { choices } from './choices.js';
import { dialogs } from './dialogs.js';
import { fields } from './fields.js';
import { frames } from './frames.js';
import { lists } from './lists.js';
import { messages } from './messages.js';
import { texts } from './texts.js';

/** The pages by the name of the file in `ui/` that they show. */
const PAGES: Readonly<Record<string, ComponentType>> = {
  ...buttons,
  ...choices,
  ...dialogs,
  ...fields,
  ...frames,
  ...lists,
  ...messages,
  ...texts,
};
const NAMES = Object.keys(PAGES).sort((a, b) => a.localeCompare(b));

const THEMES: readonly { value: ThemeMode; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** The list of controls, and the page of one. @param props.name that of its file; an unknown one: the first control */
export function Gallery({ name }: { name: string }) {
  const [theme, setTheme] = useState(storedTheme);
  const shown = Object.hasOwn(PAGES, name) ? name : (NAMES[0] ?? '');
  const Page = PAGES[shown];
  return (
    <div className="gallery">
      <nav aria-label="Controls">
        {NAMES.map((one) => (
          <a key={one} href={`/__gallery/${one}`} aria-current={one === shown ? 'page' : undefined}>
            {one}
          </a>
        ))}
      </nav>
      <main>
        <header>
          <h1>{shown}</h1>
          <Segmented
            label="Theme"
            options={THEMES}
            value={theme}
            onChange={(mode) => {
              setTheme(mode);
              applyTheme(mode);
            }}
          />
        </header>
        {Page && <Page />}
      </main>
      <Toasts />
    </div>
  );
}
