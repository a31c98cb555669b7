import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './Button.js';
import { toast } from './toast.js';

/** Copies a text, and says for two seconds that it did. */
export function useCopied(): [boolean, (text: string) => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return [isCopied, (text) => void copyText(text, () => setCopied(true))];
}

async function copyText(text: string, onCopied: () => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    onCopied();
  } catch {
    toast('Not copied: the browser does not allow it. Select the text and copy it by hand.');
  }
}

/** @param props.what what is copied, for the name of the button */
export function CopyButton({ text, what, isSmall = true }: { text: string; what: string; isSmall?: boolean }) {
  const [isCopied, copy] = useCopied();
  return (
    <Button
      isSmall={isSmall}
      aria-label={`${isCopied ? 'Copied' : 'Copy'} ${what}`}
      icon={isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      onPress={() => copy(text)}
    >
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  );
}

/** A code snippet with its copy button. @param props.what names it, such as "the snippet" */
export function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div className="relative rounded-l border border-border bg-sunken">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto p-3 pr-24 font-mono text-12 leading-relaxed whitespace-pre-wrap wrap-anywhere">
        <code>{code}</code>
      </pre>
      <div className="absolute top-2 right-2">
        <CopyButton text={code} what={what} />
      </div>
    </div>
  );
}
