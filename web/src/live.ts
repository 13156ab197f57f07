import { type QueryKey, useQueryClient } from '@tanstack/react-query';
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

/** Milliseconds for which changes are collected before queries are read again. */
const COLLECT_MS = 500;

/**
 * Reads queries again when something of a campaign, or of any, was settled or retracted.
 *
 * @param keys beginnings of the queries' keys; the same array at every call.
 * @returns the state of the connection, for a `LiveBadge`.
 */
export function useLiveQueries(
  campaignId: string | undefined,
  keys: readonly QueryKey[],
): StreamState | 'closed' {
  const cache = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const connected = useRef(false);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useLive(campaignId, (update) => {
    // After a lost connection that cannot be resumed, anything may have changed.
    const isMissed = update.event === 'hello' && connected.current && !update.data.resumed;
    if (update.event === 'hello') connected.current = true;
    if (update.event === 'head' || (update.event === 'hello' && !isMissed)) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      for (const queryKey of keys) void cache.invalidateQueries({ queryKey });
    }, COLLECT_MS);
  });
}
