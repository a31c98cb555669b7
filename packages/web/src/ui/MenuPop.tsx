import type { ReactNode, RefObject } from 'react';
import { Menu as AriaMenu, MenuItem as AriaMenuItem, Separator } from 'react-aria-components';
import { classNames } from './class-names.js';
import { type MenuFocus, MenuParts, type MenuRowProps } from './menu-parts.js';
import { POP_ROW, Pop } from './Pop.js';

export interface MenuPopProps {
  id: string;
  label: string;
  triggerRef: RefObject<HTMLElement | null>;
  focus: MenuFocus;
  onClose: () => void;
  children: ReactNode;
}

/** An open menu below its button. */
export const MenuPop = ({ id, label, triggerRef, focus, onClose, children }: MenuPopProps) => (
  <MenuParts value={PARTS}>
    <Pop
      aria-label={label}
      trigger="MenuTrigger"
      triggerRef={triggerRef}
      placement="bottom start"
      isOpen
      onOpenChange={(isOpen) => isOpen || onClose()}
    >
      <AriaMenu id={id} aria-label={label} autoFocus={focus ?? true} onClose={onClose} className="outline-none">
        {children}
      </AriaMenu>
    </Pop>
  </MenuParts>
);

const Row = ({ icon, shortcut, isDanger = false, children, ...props }: MenuRowProps) => (
  <AriaMenuItem {...props} textValue={children} className={classNames(POP_ROW, isDanger && 'text-bad!')}>
    {icon && <span className="text-text-3">{icon}</span>}
    <span className="flex-1">{children}</span>
    {shortcut && <kbd className="font-sans text-11 text-text-3">{shortcut}</kbd>}
  </AriaMenuItem>
);

const PARTS = { Row, Line: () => <Separator className="my-1 h-px bg-border" /> };
