import { Dialog } from './Dialog.js';
import { Form } from './Form.js';
import { TextField } from './TextField.js';

export interface RenameDialogProps {
  /** What is renamed, such as "dashboard". */
  what: string;
  name: string;
  description: string;
  isOpen: boolean;
  onClose: () => void;
  onRename: (fields: { name: string; description: string }) => Promise<unknown>;
}

/** Name and description of an object. */
export const RenameDialog = ({ what, name, description, isOpen, onClose, onRename }: RenameDialogProps) => (
  <Dialog title={`Rename ${what}`} isOpen={isOpen} onClose={onClose}>
    <Form
      fields={['name', 'description']}
      submit={`Rename ${what}`}
      submitting="Renaming…"
      onSubmit={async ({ name: text = '', description: about = '' }) => {
        await onRename({ name: text, description: about });
        onClose();
      }}
    >
      <TextField name="name" label="Name" isRequired autoFocus defaultValue={name} />
      <TextField name="description" label="Description" help="If you like" rows={3} defaultValue={description} />
    </Form>
  </Dialog>
);
