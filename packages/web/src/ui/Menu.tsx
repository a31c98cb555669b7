import type { ReactElement, ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem as AriaMenuItem, type MenuItemProps, MenuTrigger, Separator } from 'react-aria-components';
import { classNames } from './class-names.js';
import { POP_ROW, Pop } from './Pop.js';

/** A button that opens a menu. @param props.trigger the button */
export function Menu({ trigger, label, children }: { trigger: ReactElement; label: string; children: ReactNode }) {
  return (
    <MenuTrigger>
      {trigger}
      <Pop>
        <AriaMenu aria-label={label} className="outline-none">
          {children}
        </AriaMenu>
      </Pop>
    </MenuTrigger>
  );
}

export interface MenuRowProps extends Omit<MenuItemProps, 'className' | 'style' | 'children' | 'textValue'> {
  icon?: ReactNode;
  /** The key that does the same, at the right. */
  shortcut?: string;
  isDanger?: boolean;
  children: string;
}

/** One row of a menu. */
export function MenuRow({ icon, shortcut, isDanger = false, children, ...props }: MenuRowProps) {
  return (
    <AriaMenuItem {...props} textValue={children} className={classNames(POP_ROW, isDanger && 'text-bad!')}>
      {icon && <span className="text-text-3">{icon}</span>}
      <span className="flex-1">{children}</span>
      {shortcut && <kbd className="font-sans text-11 text-text-3">{shortcut}</kbd>}
    </AriaMenuItem>
  );
}

export const MenuLine = () => <Separator className="my-1 h-px bg-border" />;
