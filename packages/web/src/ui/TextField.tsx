import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps, Input, TextArea } from 'react-aria-components';
import { classNames } from './class-names.js';
import { FieldHelp, FieldLabel, type FieldTexts, INPUT } from './field-parts.js';

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'className' | 'style' | 'children'>, FieldTexts {
  placeholder?: string;
  /** Lines of a text of several lines; absent: one line. */
  rows?: number;
  isMono?: boolean;
}

/** A text input with its label, help and error. */
export function TextField({ label, hideLabel, help, error, placeholder, rows, isMono, ...props }: TextFieldProps) {
  return (
    <AriaTextField {...props} {...(error && { isInvalid: true })} className="grid min-w-0 content-start gap-1">
      <FieldLabel label={label} hideLabel={hideLabel ?? false} />
      {rows === undefined ? (
        <Input {...(placeholder && { placeholder })} className={classNames(INPUT, isMono && 'font-mono text-12')} />
      ) : (
        <TextArea
          rows={rows}
          {...(placeholder && { placeholder })}
          className={classNames(INPUT, 'h-auto! py-1.5', isMono && 'font-mono text-12')}
        />
      )}
      <FieldHelp help={help} error={error ?? null} />
    </AriaTextField>
  );
}
