import { Dialog } from '../../ui/Dialog.js';
import { Form } from '../../ui/Form.js';
import { TextField } from '../../ui/TextField.js';

export interface AddTextDialogProps {
  isOpen: boolean;
  onClose: () => void;
  onAdd: (body: string) => Promise<unknown>;
}

/** The text of a new tile. */
export const AddTextDialog = ({ isOpen, onClose, onAdd }: AddTextDialogProps) => (
  <Dialog title="Add text" isOpen={isOpen} onClose={onClose}>
    <Form
      fields={['body']}
      submit="Add text"
      submitting="Adding…"
      onSubmit={async ({ body = '' }) => {
        await onAdd(body);
        onClose();
      }}
    >
      <TextField name="body" label="Text" help="Markdown: headings, lists, links, bold" rows={6} isRequired autoFocus />
    </Form>
  </Dialog>
);
