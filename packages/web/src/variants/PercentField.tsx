import { useState } from 'react';
import { TextField } from '../ui/TextField.js';

export interface PercentFieldProps {
  label: string;
  /** 0 to 100. */
  value: number;
  onChange: (value: number) => void;
  isReadOnly?: boolean;
}

/** A percentage as a text: while it has the focus it stays as it is typed, so that "2." can become "2.5". */
export function PercentField({ label, value, onChange, isReadOnly = false }: PercentFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextField
      label={label}
      hideLabel
      inputMode="decimal"
      isReadOnly={isReadOnly}
      value={typed ?? String(value)}
      onChange={(text) => {
        setTyped(text);
        const number = Number(text.replace(',', '.'));
        if (text.trim() !== '' && number >= 0 && number <= 100) onChange(number);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}
