import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Reply } from '../api.ts';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';
import { Loading, type PartSize } from './loading.tsx';
import { Panel } from './panel.tsx';

interface QueryProps<T> {
  readonly query: UseQueryResult<Reply<T>, Error>;
  /** Name for "Loading …" and "… was not found": `Campaign 7`. */
  readonly what: string;
  /** Lines that the answer will take. */
  readonly lines?: number;
  /** Its usual height, if that is known better. */
  readonly size?: PartSize;
  readonly children: (reply: Reply<T>) => ReactNode;
}

/**
 * The response of a query, or its state: loading, not found, failed, offline. If a refresh failed, the
 * older response stays, and is marked as such.
 */
export function Answered<T>({ query, what, lines, size, children }: QueryProps<T>) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    if (error === null) return <Loading what={what} lines={lines} size={size} />;
    return <Failure error={error} what={what} onRetry={() => void refetch()} />;
  }
  return (
    <>
      {error !== null && (
        <Panel tone="warn" title="Showing older data" role="status">
          <p>This data could not be refreshed. {error.message}</p>
          <Button onClick={() => void refetch()}>Try again</Button>
        </Panel>
      )}
      {children(data)}
    </>
  );
}
