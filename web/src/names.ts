import { useQuery } from '@tanstack/react-query';
import type { Client } from '../../engine/client/index.ts';
import { api, type DataOf } from './api.ts';
import { useOnline } from './online.ts';

/** The names of an account that everybody may know. */
export type PublicName = DataOf<Client['lookups']['names']>['items'][number];

type Address = `0x${string}`;
type Names = ReadonlyMap<string, PublicName>;

/** Milliseconds in which a page names the accounts that it shows; they are looked up together. */
const GATHER_MS = 20;
/** Largest number of accounts of one request. */
const MAX = 100;
/** Milliseconds for which a name is shown without asking again. */
const FRESH_MS = 300_000;

/** The name of an account; `undefined` if it has none, or as long as it is not known. */
export function useName(address: string | undefined): string | undefined {
  const key = address?.toLowerCase();
  const isOnline = useOnline();
  const { data } = useQuery({
    queryKey: ['lookups.names', key],
    queryFn: async () => textOf(await lookUp(key as Address)) ?? null,
    // Without a network every request would only fail.
    enabled: key !== undefined && isOnline,
    staleTime: FRESH_MS,
  });
  return data ?? undefined;
}

function textOf(name: PublicName | undefined): string | undefined {
  if (name?.merchant) return name.merchant.name;
  const { handle, displayName } = name?.distributor ?? {};
  return displayName ?? (handle === undefined ? undefined : `@${handle}`);
}

/** Accounts of the next request, and that request. */
let gathered = new Set<Address>();
let next: Promise<Names> | undefined;

async function lookUp(address: Address): Promise<PublicName | undefined> {
  gathered.add(address);
  next ??= new Promise<void>((resolve) => setTimeout(resolve, GATHER_MS)).then(() => {
    const addresses = [...gathered];
    gathered = new Set();
    next = undefined;
    return namesOf(addresses);
  });
  return (await next).get(address);
}

async function namesOf(addresses: readonly Address[]): Promise<Names> {
  const parts = Array.from({ length: Math.ceil(addresses.length / MAX) }, (_none, i) =>
    addresses.slice(i * MAX, (i + 1) * MAX),
  );
  const answers = await Promise.all(parts.map((part) => api.lookups.names({ addresses: part })));
  const items = answers.flatMap(({ data }) => data.items);
  return new Map(items.map((one) => [one.address.toLowerCase(), one]));
}
