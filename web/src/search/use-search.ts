import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../engine/client/error.ts';
import { pathOf } from '../../../engine/contract/pages.ts';
import { api, type RequestOptions } from '../api.ts';
import { groupHits, type HitGroup } from './hits.ts';
import { readQuery } from './query.ts';

/** Milliseconds without a key after which a text is looked for. */
const PAUSE_MS = 150;

/**
 * Results for a text, by kind. A request that a newer text replaced is cancelled.
 * @param limit largest number of results of each kind, 1 to 20.
 */
export function useSearch(text: string, limit: number) {
  const wanted = text.trim();
  return useQuery({
    queryKey: ['search', wanted, limit],
    queryFn: ({ signal }) => search(wanted, limit, { signal }),
    enabled: wanted !== '',
    placeholderData: keepPreviousData,
  });
}

/** The text as it was when its last key was pressed a moment ago. */
export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

async function search(
  text: string,
  limit: number,
  options: RequestOptions,
): Promise<readonly HitGroup[]> {
  const { q, type } = readQuery(text);
  const types = type === undefined ? {} : { types: [type] };
  const { data } = await api.search.find({ q, limit, ...types }, options);
  const groups = groupHits(data.items);
  if (type !== 'distributor' || groups.length > 0) return groups;
  return await byHandle(q, options);
}

/** The distributor with exactly this handle: one that keeps the address private is found by nothing else. */
async function byHandle(handle: string, options: RequestOptions): Promise<readonly HitGroup[]> {
  try {
    const { data } = await api.reputation.get({ addressOrHandle: handle }, options);
    const href = pathOf('distributor', { address: handle });
    const title = data.displayName ?? `@${handle}`;
    const hit = { href, title, detail: `@${handle}`, isSimilar: false };
    return [{ name: 'Distributors', items: [hit] }];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}
