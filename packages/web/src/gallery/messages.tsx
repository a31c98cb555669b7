import { FlaskConical } from 'lucide-react';
import { Button } from '../ui/Button.js';
import { Refused } from '../ui/Refused.js';
import { SaveRefusal } from '../ui/SaveRefusal.js';
import { Fault, Message, NoPermission, Skeleton } from '../ui/states.js';
import { toast } from '../ui/toast.js';
import { LONG, State, UNBROKEN } from './State.js';

export const messages = {
  states: () => (
    <>
      <State is="Message: icon, action">
        <Message
          icon={<FlaskConical size={16} aria-hidden />}
          title="No experiments yet"
          action={<Button kind="primary">New experiment</Button>}
        >
          Show two versions of something to different people and see which one does better.
        </Message>
      </State>
      <State is="Message: title alone">
        <Message title="No purchases in these 30 days" />
      </State>
      <State is="Message: in place of a chart">
        <Message place="chart" title="No purchases in these 30 days">
          The last one was on 3 Sep.
        </Message>
      </State>
      <State is="Message: in a tile">
        <div className="h-40">
          <Message place="tile" title="No purchases in these 30 days">
            The last one was on 3 Sep.
          </Message>
        </div>
      </State>
      <State is="Fault: onRetry">
        <Fault title="The list could not be loaded" detail="The service is restarting. Nothing is lost." onRetry={() => {}} />
      </State>
      <State is="Fault: a long detail">
        <Fault title="The statement was refused" detail={`${LONG}: ${UNBROKEN}`} />
      </State>
      <State is="NoPermission">
        <NoPermission what="recordings" needs="Mara Olsen and Jonas Weber can change that." />
      </State>
      <State is="Skeleton: rows">
        <Skeleton rows={4} />
      </State>
    </>
  ),
  Refused: () => (
    <>
      <State is="message">
        <Refused message="The flag is used by an experiment that is running." />
      </State>
      <State is="a long message">
        <Refused message={`${LONG}: ${UNBROKEN}`} />
      </State>
    </>
  ),
  SaveRefusal: () => (
    <>
      <State is="refusal">
        <SaveRefusal refusal={{ title: 'Not saved', message: `The name is too long: ${UNBROKEN}`, isConflict: false }} />
      </State>
      <State is="isConflict">
        <SaveRefusal
          refusal={{ title: 'Not saved', message: 'Mara Olsen changed it 2 minutes ago.', isConflict: true }}
          onTheirs={() => {}}
          onMine={() => {}}
        />
      </State>
    </>
  ),
  toast: () => (
    <>
      <State is="text" isPressed>
        <Button onPress={() => toast('The picture is being made.')}>Export</Button>
      </State>
      <State is="action" isPressed>
        <Button onPress={() => toast('“Web vitals” is deleted.', { label: 'Undo', onPress: () => {} })}>Delete</Button>
      </State>
      <State is="a long text" isPressed>
        <Button onPress={() => toast(`“${LONG}” is deleted.`, { label: 'Undo', onPress: () => {} })}>Delete the insight</Button>
      </State>
    </>
  ),
};
