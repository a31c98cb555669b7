import { Button } from '../ui/Button.js';
import { ConfirmByName } from '../ui/ConfirmByName.js';
import { Dialog } from '../ui/Dialog.js';
import { Panel } from '../ui/Panel.js';
import { RenameDialog } from '../ui/RenameDialog.js';
import { LONG, Opener, State, UNBROKEN } from './State.js';

const muchText = (
  <>
    <a href="https://example.com">About this</a>
    {Array.from({ length: 24 }, (_, at) => `${at + 1}. ${LONG}.`).map((text) => (
      <p key={text}>{text}</p>
    ))}
  </>
);
const fail = () => Promise.reject(new Error('The dashboard is in use by an export.'));

export const dialogs = {
  Dialog: () => (
    <>
      <State is="footer">
        <Opener label="Share">
          {(close) => (
            <Dialog
              title="Share this dashboard"
              isOpen
              onClose={close}
              footer={
                <>
                  <Button kind="quiet" onPress={close}>
                    Cancel
                  </Button>
                  <Button kind="primary">Share</Button>
                </>
              }
            >
              <p>Before: 12 people. Now: 7 people, and everybody with the link.</p>
            </Dialog>
          )}
        </Opener>
      </State>
      <State is="isWide, a long title and more than fits">
        <Opener label="Read">
          {(close) => (
            <Dialog title={LONG} isOpen onClose={close} isWide>
              {muchText}
            </Dialog>
          )}
        </Opener>
      </State>
    </>
  ),
  ConfirmByName: () => (
    <>
      <State is="name">
        <Opener label="Delete the project">
          {(close) => (
            <ConfirmByName
              title="Delete the project"
              consequence="Its 12,408 events are lost, and its keys stop to work."
              name={UNBROKEN}
              confirm="Delete project"
              confirming="Deleting…"
              onConfirm={fail}
              onClose={close}
            />
          )}
        </Opener>
      </State>
      <State is="name: null; onConfirm rejects">
        <Opener label="Delete the dashboard">
          {(close) => (
            <ConfirmByName
              title="Delete the dashboard"
              consequence="Its links stop to work."
              name={null}
              confirm="Delete dashboard"
              confirming="Deleting…"
              onConfirm={fail}
              onClose={close}
            />
          )}
        </Opener>
      </State>
    </>
  ),
  RenameDialog: () => (
    <State is="name, description">
      <Opener label="Rename">
        {(close) => (
          <RenameDialog what="dashboard" name={LONG} description={LONG} isOpen onClose={close} onRename={async () => {}} />
        )}
      </Opener>
    </State>
  ),
  Panel: () => (
    <>
      <State is="footer">
        <Opener label="New key">
          {(close) => (
            <Panel title="New key" onClose={close} footer={<Button kind="primary">Create key</Button>}>
              <p>What the key may do.</p>
            </Panel>
          )}
        </Opener>
      </State>
      <State is="a long title and more than fits">
        <Opener label="People">
          {(close) => (
            <Panel title={LONG} onClose={close}>
              {muchText}
            </Panel>
          )}
        </Opener>
      </State>
    </>
  ),
};
