import { useState } from 'react';
import { TextField } from '../../ui/TextField.js';

export interface IntegerFieldProps {
  label: string;
  /** Null: none is given. */
  value: number | null;
  onChange: (value: number) => void;
}

/** A whole number in a row of words. While it has the focus it stays as it is typed. */
export function IntegerField({ label, value, onChange }: IntegerFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <div className="w-16">
      <TextField
        label={label}
        hideLabel
        inputMode="numeric"
        value={typed ?? String(value ?? '')}
        onChange={(text) => {
          setTyped(text);
          if (/^\d{1,9}$/.test(text)) onChange(Number(text));
        }}
        onBlur={() => setTyped(null)}
      />
    </div>
  );
}
