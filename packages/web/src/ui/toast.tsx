import { X } from 'lucide-react';
import {
  Button,
  Text,
  UNSTABLE_Toast,
  UNSTABLE_ToastContent,
  UNSTABLE_ToastQueue,
  UNSTABLE_ToastRegion,
} from 'react-aria-components';

interface ToastText {
  text: string;
  /** What can still be done, such as "Undo". */
  action?: { label: string; onPress: () => void };
}

const queue = new UNSTABLE_ToastQueue<ToastText>({ maxVisibleToasts: 3 });

/** Shows a message at the foot of the screen, for what is not visible otherwise. It stays for 8 s, with an action for 15 s. */
export function toast(text: string, action?: ToastText['action']): void {
  const onPress = () => {
    queue.close(key);
    action?.onPress();
  };
  const key = queue.add({ text, ...(action && { action: { ...action, onPress } }) }, { timeout: action ? 15_000 : 8_000 });
}

export const Toasts = () => (
  <UNSTABLE_ToastRegion
    queue={queue}
    className="fixed bottom-4 left-1/2 z-[var(--z-toast)] flex w-max max-w-[min(100%-2rem,36rem)] -translate-x-1/2 flex-col gap-2 outline-none max-sm:bottom-18"
  >
    {({ toast: shown }) => (
      <UNSTABLE_Toast
        toast={shown}
        className="flex min-h-10 items-center gap-3 rounded-l border border-[var(--tip-border)] bg-tip py-1 pr-1 pl-4 text-13 text-tip-text shadow-pop"
      >
        <UNSTABLE_ToastContent className="min-w-0 flex-1 wrap-anywhere">
          <Text slot="title">{shown.content.text}</Text>
        </UNSTABLE_ToastContent>
        {shown.content.action && (
          <Button onPress={shown.content.action.onPress} className="h-8 rounded-m px-2 font-medium underline">
            {shown.content.action.label}
          </Button>
        )}
        <Button slot="close" aria-label="Close" className="grid size-8 place-items-center rounded-m">
          <X size={14} aria-hidden />
        </Button>
      </UNSTABLE_Toast>
    )}
  </UNSTABLE_ToastRegion>
);
