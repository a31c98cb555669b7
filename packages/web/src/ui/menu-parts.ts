import { type ComponentType, createContext, type ReactNode } from 'react';
import type { MenuItemProps } from 'react-aria-components';

/** The row of an opened menu that has the focus; null: the menu itself, which suits a mouse. */
export type MenuFocus = 'first' | 'last' | null;

export interface MenuRowProps extends Omit<MenuItemProps, 'className' | 'style' | 'children' | 'textValue'> {
  icon?: ReactNode;
  /** The key that does the same, at the right. */
  shortcut?: string;
  isDanger?: boolean;
  children: string;
}

/** How an open menu draws its rows: screens name rows without loading the code of menus. */
export const MenuParts = createContext<{ Row: ComponentType<MenuRowProps>; Line: ComponentType } | null>(null);
