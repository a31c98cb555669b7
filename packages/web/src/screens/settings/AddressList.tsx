import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/Button.js';
import { IconButton } from '../../ui/IconButton.js';
import { TextField } from '../../ui/TextField.js';
import { toast } from '../../ui/toast.js';
import { checkAddress } from './check-address.js';

export interface AddressListProps {
  /** What one is, for the buttons: "address", "site". */
  what: string;
  isReadOnly: boolean;
  addresses: readonly (string | null)[];
  onChange: (addresses: string[]) => void;
}

/** Addresses of sites, added and removed one at a time. Removing can be undone. */
export function AddressList({ what, isReadOnly, addresses, onChange }: AddressListProps) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const listed = addresses.filter((address): address is string => Boolean(address));
  const add = () => {
    const checked = checkAddress(text, listed);
    setError(checked.error);
    if (checked.address === null) return;
    onChange([...listed, checked.address]);
    setText('');
  };
  return (
    <div className="grid gap-3">
      {listed.length > 0 ? (
        <ul className="divide-y divide-border rounded-l border border-border">
          {listed.map((address) => (
            <li key={address} className="flex min-h-9 items-center gap-2 py-1 pr-1.5 pl-3">
              <code className="min-w-0 flex-1 font-mono text-12 wrap-anywhere">{address}</code>
              {!isReadOnly && (
                <IconButton
                  isSmall
                  label={`Remove ${address}`}
                  onPress={() => {
                    onChange(listed.filter((one) => one !== address));
                    toast(`${address} is removed.`, { label: 'Undo', onPress: () => onChange(listed) });
                  }}
                >
                  <X size={14} aria-hidden />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
      ) : (
        <p className="text-13 text-text-2">No {what} yet.</p>
      )}
      {!isReadOnly && (
        <form
          className="flex items-start gap-2"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <div className="max-w-[360px] flex-1">
            <TextField
              label={`New ${what}`}
              hideLabel
              placeholder="https://shop.example.com"
              value={text}
              error={error}
              onChange={(value) => {
                setText(value);
                setError(null);
              }}
            />
          </div>
          <Button type="submit" icon={<Plus size={14} aria-hidden />}>
            Add {what}
          </Button>
        </form>
      )}
    </div>
  );
}
