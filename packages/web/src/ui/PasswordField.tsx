import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { ToggleButton } from 'react-aria-components';
import { classNames } from './class-names.js';
import { TextField, type TextFieldProps } from './TextField.js';

/** A password input that can show its text. `hasStrength`: a new password, whose strength is estimated below it. */
export function PasswordField({ hasStrength = false, ...props }: TextFieldProps & { hasStrength?: boolean }) {
  const [isShown, setShown] = useState(false);
  const [value, setValue] = useState('');
  const strength = hasStrength ? estimateStrength(value) : null;
  return (
    <div className="relative">
      <TextField
        {...props}
        type={isShown ? 'text' : 'password'}
        autoComplete={hasStrength ? 'new-password' : 'current-password'}
        value={value}
        onChange={setValue}
        help={strength ? <StrengthBar {...strength} /> : props.help}
      />
      <ToggleButton
        isSelected={isShown}
        onChange={setShown}
        aria-label="Show password"
        className="absolute top-[22px] right-1 grid h-[var(--h-control)] w-8 place-items-center rounded-m text-text-3 hover:text-text"
      >
        {isShown ? <EyeOff size={16} aria-hidden /> : <Eye size={16} aria-hidden />}
      </ToggleButton>
    </div>
  );
}

interface Strength {
  /** 0 to 4 */
  score: number;
  text: string;
}

const StrengthBar = ({ score, text }: Strength) => (
  <span className="grid gap-1">
    <span aria-hidden className="grid grid-cols-4 gap-1">
      {[1, 2, 3, 4].map((step) => (
        <span
          key={step}
          className={classNames('h-1 rounded-full', step <= score ? (score < 2 ? 'bg-warn' : 'bg-good') : 'bg-border-strong')}
        />
      ))}
    </span>
    {text}
  </span>
);

/** A rough estimate by length and variety; the service decides by a list of common passwords. */
function estimateStrength(password: string): Strength {
  const distinct = new Set(password).size;
  const effective = Math.min(password.length, distinct * 2);
  if (password === '') return { score: 0, text: 'At least 8 characters. Long is better than odd signs.' };
  if (effective < 8) return { score: 1, text: 'Weak: a few more characters.' };
  if (effective < 12) return { score: 2, text: 'Fair: a few words in a row are better.' };
  if (effective < 18) return { score: 3, text: 'Good: hard to guess.' };
  return { score: 4, text: 'Strong.' };
}
