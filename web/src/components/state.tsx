import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../../engine/client/index.ts';
import type { Reply } from '../api.ts';
import { BehindTheHead } from './behind.tsx';
import { Button } from './button.tsx';
import styles from './state.module.css';

type Tone = 'plain' | 'good' | 'bad' | 'warn';

interface PanelProps {
  readonly title: string;
  readonly tone?: Tone;
  /** Announced when it appears: `alert` at once, `status` when the reader pauses. */
  readonly role?: 'alert' | 'status';
  readonly children?: ReactNode;
}

/** A message that takes the place of what is not there. */
export function Panel({ title, tone = 'plain', role, children }: PanelProps) {
  return (
    <section className={`${styles.panel} ${styles[tone]}`} role={role} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className={styles.loading} role="status">
      <span className={styles.spinner} aria-hidden="true" />
      Loading {what} …
    </p>
  );
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return <p className={styles.empty}>{children}</p>;
}

/** What is not there, as of the block that was read: it may be further on than the service is. */
function NotFound({ what }: { readonly what: string }) {
  return (
    <Panel title={`${what} is not here`}>
      <p>
        The service knows nothing of it as of the block that it has settled. Look at the number, or
        go <a href="/">to the search</a>.
      </p>
      <BehindTheHead />
    </Panel>
  );
}

interface FailureProps {
  readonly error: Error;
  readonly what: string;
  readonly onRetry?: () => void;
}

/** Why an answer did not come, in words, by the kind of failure. */
export function Failure({ error, what, onRetry }: FailureProps) {
  if (error instanceof ApiError && error.status === 404) return <NotFound what={what} />;
  const { title, text } = reasonOf(error, what);
  return (
    <Panel tone="warn" title={title} role="alert">
      <p>{text}</p>
      {error instanceof ApiError && error.requestId !== null && (
        <p className={styles.detail}>
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
    return { title: 'Too many requests', text: `${error.message} It is asked again by itself.` };
  }
  if (error.code === 'NOT_READY') {
    return { title: 'The service is starting', text: error.message };
  }
  return { title: `${what} could not be read`, text: error.message };
}

interface QueryProps<T> {
  readonly query: UseQueryResult<Reply<T>, Error>;
  /** What it is, as in «Loading … » and «… is not here»: `Campaign 7`. */
  readonly what: string;
  readonly children: (reply: Reply<T>) => ReactNode;
}

/**
 * An answer, or what stands for it: loading, not found, failed, offline. Where an older answer is
 * there and a newer one failed, the older one stays, and is called so.
 */
export function Answered<T>({ query, what, children }: QueryProps<T>) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    if (error === null) return <Loading what={what} />;
    return <Failure error={error} what={what} onRetry={() => void refetch()} />;
  }
  return (
    <>
      {error !== null && (
        <Panel tone="warn" title="This is not the newest" role="status">
          <p>What you see was read before; it could not be read again. {error.message}</p>
          <Button onClick={() => void refetch()}>Try again</Button>
        </Panel>
      )}
      {children(data)}
    </>
  );
}
