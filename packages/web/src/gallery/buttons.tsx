import { Copy, Download, Ellipsis, Flag, Pencil, Plus, Trash2, Upload } from 'lucide-react';
import { Button, type ButtonKind } from '../ui/Button.js';
import { FileButton } from '../ui/FileButton.js';
import { IconButton } from '../ui/IconButton.js';
import { Menu, MenuLine, MenuRow, MoreMenu } from '../ui/Menu.js';
import { PopButton } from '../ui/PopButton.js';
import { Tooltip } from '../ui/Tooltip.js';
import { LONG, State } from './State.js';

const KINDS: readonly ButtonKind[] = ['primary', 'plain', 'quiet', 'danger', 'danger-fill'];

const rows = (
  <>
    <MenuRow icon={<Pencil size={14} aria-hidden />} shortcut="E">
      Edit
    </MenuRow>
    <MenuRow icon={<Copy size={14} aria-hidden />}>Duplicate</MenuRow>
    <MenuRow isDisabled icon={<Flag size={14} aria-hidden />}>
      Release
    </MenuRow>
    <MenuRow>{LONG}</MenuRow>
    <MenuLine />
    <MenuRow isDanger icon={<Trash2 size={14} aria-hidden />} shortcut="⌫">
      Delete
    </MenuRow>
  </>
);

export const buttons = {
  Button: () => (
    <>
      {KINDS.map((kind) => (
        <State key={kind} is={`kind="${kind}": at rest, with an icon, isSmall, isDisabled, busyLabel`}>
          <div className="row">
            <Button kind={kind}>Create flag</Button>
            <Button kind={kind} icon={<Plus size={14} aria-hidden />}>
              Create flag
            </Button>
            <Button kind={kind} isSmall>
              Create flag
            </Button>
            <Button kind={kind} isDisabled>
              Create flag
            </Button>
            <Button kind={kind} busyLabel="Creating…">
              Create flag
            </Button>
          </div>
        </State>
      ))}
    </>
  ),
  IconButton: () => (
    <State is="at rest, isSmall, isDisabled">
      <div className="row">
        <IconButton label="Download">
          <Download size={16} aria-hidden />
        </IconButton>
        <IconButton label="Download the small file" isSmall>
          <Download size={14} aria-hidden />
        </IconButton>
        <IconButton label="Download nothing" isDisabled>
          <Download size={16} aria-hidden />
        </IconButton>
      </div>
    </State>
  ),
  FileButton: () => (
    <State is="at rest, with an icon, busyLabel">
      <div className="row">
        <FileButton accepts={['.csv']} onFile={() => {}}>
          Choose a file
        </FileButton>
        <FileButton accepts={['.csv']} icon={<Upload size={14} aria-hidden />} onFile={() => {}}>
          Upload a list
        </FileButton>
        <FileButton accepts={['.csv']} busyLabel="Uploading…" onFile={() => {}}>
          Upload a list
        </FileButton>
      </div>
    </State>
  ),
  Menu: () => (
    <>
      <State is="trigger: a Button; rows with icon, shortcut, isDisabled, isDanger, and a line">
        <Menu label="Flag" trigger={<Button icon={<Ellipsis size={14} aria-hidden />}>Actions</Button>}>
          {rows}
        </Menu>
      </State>
      <State is="MoreMenu, and isSmall">
        <div className="row">
          <MoreMenu label="Flag" button="More of the flag">
            {rows}
          </MoreMenu>
          <MoreMenu label="Variant" button="More of the variant" isSmall>
            {rows}
          </MoreMenu>
        </div>
      </State>
    </>
  ),
  PopButton: () => (
    <>
      <State is='look="place"'>
        <PopButton label="Add a filter" icon={<Plus size={14} aria-hidden />}>
          {(close) => (
            <div className="row">
              Anything
              <Button isSmall onPress={close}>
                Choose it
              </Button>
            </div>
          )}
        </PopButton>
      </State>
      <State is='look="text", trigger'>
        <PopButton look="text" label="How it was computed" trigger="Computed 3 min. ago">
          {() => <p className="field">{LONG}</p>}
        </PopButton>
      </State>
    </>
  ),
  Tooltip: () => (
    <State is="text, while the focus is on its control">
      <Tooltip text={LONG}>
        <Button autoFocus>Look closer</Button>
      </Tooltip>
    </State>
  ),
};
