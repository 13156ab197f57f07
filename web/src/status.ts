import { api, type DataOf, useApi } from './api.ts';
import { useOnline } from './online.ts';

/** Milliseconds between two reads of the status: a frozen RPC is to be shown within 10 s. */
const POLL_MS = 3_000;

/** Blocks behind the chain's head that need no message. */
const BLOCKS_USUAL = 5;

/** How far the service is: one request that all pages share. */
export function useStatus() {
  // Without a network every request would only fail.
  const enabled = useOnline();
  return useApi(
    ['system.status'],
    api.system.status,
    {},
    {
      refetchInterval: POLL_MS,
      enabled,
    },
  );
}

type Status = DataOf<typeof api.system.status>;

/** Blocks that the service is behind the chain, if that is more than usual; otherwise 0. */
export function blocksBehind({ lag }: Pick<Status, 'lag'>): number {
  return lag.total !== null && lag.total > BLOCKS_USUAL ? lag.total : 0;
}
