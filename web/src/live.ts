import { useEffect, useRef, useState } from 'react';
import type { StreamState, StreamUpdate } from '../../engine/client/index.ts';
import { api } from './api.ts';

export type { StreamUpdate };

/**
 * Follows the settled changes of a campaign, or of all, for as long as the page is there. `onUpdate`
 * is called for each message; the connection is restored automatically.
 *
 * @returns the state of the connection; `closed` if the service refused it permanently.
 */
export function useLive(
  campaignId: string | undefined,
  onUpdate: (update: StreamUpdate) => void,
  { enabled = true }: { readonly enabled?: boolean } = {},
): StreamState | 'closed' {
  const [state, setState] = useState<StreamState | 'closed'>('connecting');
  const latest = useRef(onUpdate);
  useEffect(() => {
    latest.current = onUpdate;
  });
  useEffect(() => {
    if (!enabled) return;
    const stop = new AbortController();
    const { signal } = stop;
    const filter = campaignId === undefined ? {} : { campaignId: [campaignId] };
    async function follow() {
      for await (const update of api.stream({ ...filter, signal, onState: setState })) {
        latest.current(update);
      }
    }
    follow().catch(() => setState('closed'));
    return () => stop.abort();
  }, [campaignId, enabled]);
  return state;
}
