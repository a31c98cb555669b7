import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from './IconButton.js';

export interface PanelProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
}

/** A side panel without a veil: for looking closer or making one thing. Whether it is open stands in the address. Esc closes it. */
export function Panel({ title, onClose, children, footer }: PanelProps) {
  const heading = useId();
  const panel = useRef<HTMLElement>(null);
  // read while rendering: a field with `autoFocus` has the focus before effects run
  const [before] = useState(() => document.activeElement);
  useEffect(() => {
    if (!panel.current?.contains(document.activeElement)) panel.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [before]);
  useEffect(() => {
    // what had the focus may have gone away or been disabled: the key then reaches no part of the panel
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.activeElement !== document.body) return;
      // as below: the screen has an Escape of its own
      event.stopPropagation();
      onClose();
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [onClose]);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-labelledby={heading}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
      className="fixed inset-y-0 right-0 z-[var(--z-panel)] flex w-[var(--panel-w)] max-w-full flex-col border-l border-border bg-surface shadow-pop -outline-offset-2 max-sm:inset-x-0 max-sm:top-10 max-sm:w-full max-sm:rounded-t-xl max-sm:border-t"
    >
      <div className="flex h-[var(--head-h)] shrink-0 items-center gap-2 border-b border-border pr-2 pl-4">
        <h2 id={heading} className="min-w-0 flex-1 truncate text-14 font-strong">
          {title}
        </h2>
        <IconButton label="Close" onPress={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto p-4">{children}</div>
      {footer && <div className="flex justify-end gap-2 border-t border-border p-3">{footer}</div>}
    </aside>
  );
}
