import { ApiFailure } from '../data/api.js';
import { Fault, NoPermission } from '../ui/states.js';

/** Something that could not be loaded, or that the person may not see. @param props.what its name in the plural, such as "flags" */
export const LoadFault = ({ what, error, onRetry }: { what: string; error: Error; onRetry: () => void }) =>
  error instanceof ApiFailure && error.status === 403 ? (
    <NoPermission what={what} needs={`Somebody who manages access to the project can give you access to ${what}.`} />
  ) : (
    <Fault
      title={`${what.charAt(0).toUpperCase()}${what.slice(1)} could not be loaded`}
      detail={error.message}
      onRetry={onRetry}
    />
  );

/** The answer to a question that failed, or that shows what is hidden from the person. @param props.detail in place of the message of the error */
export const AnswerFault = ({ title, error, detail = error.message, onRetry }: AnswerFaultProps) =>
  error instanceof ApiFailure && error.status === 403 ? (
    <NoPermission what="this answer" needs={`${error.message} Somebody who manages access to the project can give it to you.`} />
  ) : (
    <Fault title={title} detail={detail} onRetry={onRetry} />
  );

interface AnswerFaultProps {
  title: string;
  error: Error;
  detail?: string;
  onRetry: () => void;
}
