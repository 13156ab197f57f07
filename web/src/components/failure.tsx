import { Link } from 'wouter';
import { ApiError } from '../../../engine/client/error.ts';
import { pathOf } from '../../../engine/contract/pages.ts';
import { LagNotice } from './behind.tsx';
import { Button } from './button.tsx';
import { Panel } from './panel.tsx';

/** A 404; the thing may exist in a block that the service has not settled yet. */
function NotFound({ what }: { readonly what: string }) {
  return (
    <Panel title={`${what} was not found`}>
      <p>
        Not found at the settled block. Check the number, or{' '}
        <Link href={pathOf('search')}>search</Link>.
      </p>
      <LagNotice />
    </Panel>
  );
}

/** A 400 of a read: the address of the page is wrong, so asking again would not help. */
function BadAddress({ what }: { readonly what: string }) {
  return (
    <Panel title={`${what} cannot exist`}>
      <p>
        The address of this page is mistyped. Check it, or{' '}
        <Link href={pathOf('search')}>search</Link>.
      </p>
    </Panel>
  );
}

interface FailureProps {
  readonly error: Error;
  readonly what: string;
  readonly onRetry?: () => void;
}

/** A message that says why a request failed. */
export function Failure({ error, what, onRetry }: FailureProps) {
  if (error instanceof ApiError && error.status === 404) return <NotFound what={what} />;
  if (error instanceof ApiError && error.status === 400) return <BadAddress what={what} />;
  const { title, text } = reasonOf(error, what);
  return (
    <Panel tone="warn" title={title} role="alert">
      <p>{text}</p>
      {error instanceof ApiError && error.requestId !== null && (
        <p className="soft">
          Request <code>{error.requestId}</code>
        </p>
      )}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </Panel>
  );
}

function reasonOf(error: Error, what: string): { title: string; text: string } {
  if (!(error instanceof ApiError)) return { title: 'This failed', text: error.message };
  if (error.status === 0) {
    const offline = navigator.onLine === false;
    return {
      title: offline ? 'You are offline' : 'The service does not answer',
      text: `${what} could not be asked for. A bundle that you saved can be checked all the same, without any network.`,
    };
  }
  if (error.code === 'RATE_LIMITED') {
    return { title: 'Too many requests', text: `${error.message} Retrying automatically.` };
  }
  if (error.code === 'NOT_READY') {
    return { title: 'The service is starting', text: error.message };
  }
  return { title: `${what} could not be read`, text: error.message };
}
