import type { ReactNode } from 'react';
import { FileButton } from '../../ui/FileButton.js';

/** What a CSV file of people must have. */
export const CSV_HELP =
  'CSV with a column distinct_id, person_id or email; without such a header its first column counts. Who has no events here is left out.';

export interface CsvButtonProps {
  isBusy: boolean;
  icon?: ReactNode;
  /** Gets the text of the file, and its name. */
  onText: (text: string, name: string) => void;
}

/** Asks for a CSV file. */
export const CsvButton = ({ isBusy, icon, onText }: CsvButtonProps) => (
  <FileButton
    accepts={['.csv', 'text/csv']}
    icon={icon}
    busyLabel={isBusy ? 'Reading…' : null}
    onFile={(file) => void file.text().then((text) => onText(text, file.name))}
  >
    Choose CSV file
  </FileButton>
);
