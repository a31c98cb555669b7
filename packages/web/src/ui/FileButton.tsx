import type { ReactNode } from 'react';
import { FileTrigger } from 'react-aria-components';
import { Button } from './Button.js';

export interface FileButtonProps {
  /** Kinds of files that the person may choose: media types or endings such as `.csv`. */
  accepts: readonly string[];
  icon?: ReactNode;
  busyLabel?: string | null;
  onFile: (file: File) => void;
  children: string;
}

/** A button that asks for one file. */
export const FileButton = ({ accepts, icon, busyLabel = null, onFile, children }: FileButtonProps) => (
  <FileTrigger
    acceptedFileTypes={accepts}
    onSelect={(files) => {
      const file = files?.[0];
      if (file) onFile(file);
    }}
  >
    <Button icon={icon} busyLabel={busyLabel}>
      {children}
    </Button>
  </FileTrigger>
);
