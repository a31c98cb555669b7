import { Ellipsis } from 'lucide-react';
import { cloneElement, type ReactElement, type ReactNode, Suspense, useContext, useId, useRef, useState } from 'react';
import type { ButtonProps } from 'react-aria-components';
import { IconButton } from './IconButton.js';
import { lazyPart } from './lazy-part.js';
import { type MenuFocus, MenuParts, type MenuRowProps } from './menu-parts.js';

const MenuPop = lazyPart(async () => (await import('./MenuPop.js')).MenuPop);

/** A button that opens a menu, whose code is loaded by then. @param props.trigger a `Button` or `IconButton` */
export function Menu({ trigger, label, children }: { trigger: ReactElement; label: string; children: ReactNode }) {
  const [focus, setFocus] = useState<MenuFocus | 'closed'>('closed');
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const isOpen = focus !== 'closed';
  const open = (next: MenuFocus) => {
    // Safari gives no focus to a button that is pressed, and the menu gives it back where it was
    button.current?.focus({ preventScroll: true });
    setFocus(next);
  };
  const opens: ButtonProps & { ref: typeof button } = {
    ref: button,
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
    ...(isOpen && { 'aria-controls': id }),
    onHoverStart: MenuPop.preload,
    // as menus of systems do: a mouse opens it when it goes down, a finger when it goes up
    onPressStart: ({ pointerType }) => {
      if (pointerType === 'mouse' || pointerType === 'pen') open(null);
      else if (pointerType === 'virtual') open('first');
    },
    onPress: ({ pointerType }) => {
      if (pointerType === 'touch' || pointerType === 'keyboard') open('first');
    },
    onKeyDown: (event) => {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault();
        open(event.key === 'ArrowUp' ? 'last' : 'first');
      } else event.continuePropagation();
    },
  };
  return (
    <>
      {cloneElement(trigger as ReactElement<typeof opens>, opens)}
      {isOpen && (
        <Suspense>
          <MenuPop id={id} label={label} triggerRef={button} focus={focus} onClose={() => setFocus('closed')}>
            {children}
          </MenuPop>
        </Suspense>
      )}
    </>
  );
}

interface MoreMenuProps {
  /** Names the menu. */
  label: string;
  /** Names its button. */
  button?: string;
  isSmall?: boolean;
  children: ReactNode;
}

/** The menu behind three dots: what one does seldom. */
export const MoreMenu = ({ label, button = 'More', isSmall = false, children }: MoreMenuProps) => (
  <Menu
    label={label}
    trigger={
      <IconButton label={button} isSmall={isSmall}>
        <Ellipsis size={isSmall ? 14 : 16} aria-hidden />
      </IconButton>
    }
  >
    {children}
  </Menu>
);

/** One row of a menu. */
export function MenuRow(props: MenuRowProps) {
  const parts = useContext(MenuParts);
  return parts && <parts.Row {...props} />;
}

export function MenuLine() {
  const parts = useContext(MenuParts);
  return parts && <parts.Line />;
}
