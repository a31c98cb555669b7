import { X } from 'lucide-react';
import { Dialog as AriaDialog, Button, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { classNames } from './class-names.js';
import type { DialogProps } from './Dialog.js';

/** An open dialog. */
export function DialogBox({
  title,
  onClose,
  isDismissable = true,
  isWide = false,
  children,
  footer,
}: Omit<DialogProps, 'isOpen'>) {
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => open || onClose()}
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
      className="fixed inset-0 z-[var(--z-dialog)] flex items-start justify-center overflow-y-auto bg-overlay px-4 pt-16 pb-8 max-sm:items-end max-sm:p-0"
    >
      <Modal className={classNames('w-full outline-none', isWide ? 'max-w-3xl' : 'max-w-lg')}>
        <AriaDialog className="flex max-h-[calc(100dvh-96px)] flex-col rounded-xl border border-border bg-raised shadow-dialog outline-none max-sm:max-h-[92dvh] max-sm:rounded-b-none">
          <div className="flex items-center gap-2 border-b border-border py-3 pr-3 pl-5">
            <Heading slot="title" className="flex-1 text-16 font-strong">
              {title}
            </Heading>
            {isDismissable && (
              <Button
                slot="close"
                aria-label="Close"
                className="grid size-8 place-items-center rounded-m text-text-2 hover:bg-hover pointer-coarse:size-11"
              >
                <X size={16} aria-hidden />
              </Button>
            )}
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-5">{children}</div>
          {footer && <div className="flex flex-wrap justify-end gap-2 border-t border-border px-5 py-3">{footer}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
