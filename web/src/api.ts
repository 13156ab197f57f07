import {
  QueryClient,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import type { Confirm } from '../../engine/client/confirmation.ts';
import { type Client, createClient } from '../../engine/client/create-client.ts';
import { fetchOnce } from './early-read.ts';

/** Milliseconds for which an answer is good enough to be shown again without asking. */
const FRESH_MS = 5_000;

/** The typed client of the API that these pages came from. */
export const api: Client = createClient({
  baseUrl: location.origin,
  fetch: fetchOnce,
  confirm: (challenge, call) => confirmBy(challenge, call),
});

let confirmBy: Confirm = () => {
  throw new Error('Sign in first.');
};

/** Sets how a call that needs a new signature gets it. Set by what signs in: most readers have no wallet. */
export function confirmCallsBy(confirm: Confirm): void {
  confirmBy = confirm;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // The client repeats what may succeed a moment later.
      retry: false,
      // A service on this machine answers with the network off, too: it is asked, and says so itself.
      networkMode: 'always',
      refetchOnWindowFocus: false,
    },
  },
});

/** Options of a call: `signal` cancels it if no component waits for it any more. */
export interface RequestOptions {
  readonly signal: AbortSignal;
}

/** A response of the API: the data, and the block that it is as of. */
export interface Reply<T> {
  readonly data: T;
  readonly meta: Meta;
}

export type Meta = Awaited<ReturnType<Client['receipts']['get']>>['meta'];

/** The `data` of a method: `Answer<Client['receipts']['get']>`. */
export type DataOf<C extends (...args: never) => Promise<Reply<unknown>>> = Awaited<
  ReturnType<C>
>['data'];

interface ReadOptions {
  /** Milliseconds; `false` or 0 stops it. A function is called after each answer. */
  readonly refetchInterval?: number | false | (() => number);
  readonly refetchOnReconnect?: boolean;
  readonly enabled?: boolean;
  readonly staleTime?: number;
}

/** Reads something that takes several calls, and caches the answer under a key. */
export function useRead<T>(
  key: readonly unknown[],
  read: (options: RequestOptions) => Promise<Reply<T>>,
  options: ReadOptions = {},
): UseQueryResult<Reply<T>, Error> {
  return useQuery({ queryKey: key, queryFn: ({ signal }) => read({ signal }), ...options });
}

/**
 * Calls a method, and caches the answer under a key and the input.
 *
 * @example
 * useApi(['campaigns.get'], api.campaigns.get, { campaignId })
 */
export function useApi<I, T>(
  key: readonly unknown[],
  call: (input: I, options: RequestOptions) => Promise<Reply<T>>,
  input: NoInfer<NonNullable<I>>,
  options?: ReadOptions,
): UseQueryResult<Reply<T>, Error> {
  return useRead([...key, input], (signal) => call(input, signal), options);
}

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
}

type PageInput = { readonly cursor?: string | undefined } | undefined;

/** All pages of a collection that were loaded so far, as one list. */
export interface Pages<T, D = unknown> {
  readonly items: readonly T[];
  /** The first page, with what it says of the whole collection. */
  readonly first: D | undefined;
  readonly meta: Meta | undefined;
  readonly query: UseInfiniteQueryResult<unknown, Error>;
}

/** Milliseconds between two reads of a collection while something of it is under way. */
const FOLLOW_MS = 2_000;

/**
 * A collection, a page at a time; `query.fetchNextPage` loads one more.
 *
 * @param isMoving true for an item that is about to change: the pages are read again until none is.
 *
 * @example
 * usePages(['receipts.recent'], api.receipts.recent, { limit: 20 })
 */
export function usePages<I extends PageInput, D extends Page>(
  key: readonly unknown[],
  call: (input: I, options: RequestOptions) => Promise<Reply<D>>,
  input: NoInfer<NonNullable<I>>,
  isMoving: (item: NoInfer<D['items'][number]>) => boolean = () => false,
): Pages<D['items'][number], D> {
  const query = useInfiniteQuery({
    queryKey: [...key, input, 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => call({ ...input, cursor: pageParam }, { signal }),
    getNextPageParam: (last) => last.data.nextCursor ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.items.some(isMoving)) ? FOLLOW_MS : false,
  });
  const pages = query.data?.pages ?? [];
  const [first] = pages;
  const items = pages.flatMap(({ data }) => data.items);
  return { items, first: first?.data, meta: first?.meta, query };
}
