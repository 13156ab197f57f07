import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { boundedClient } from '../../../chain/client.ts';
import type { Bundle } from '../../../verify/bundle/index.ts';
import { makeBundle } from '../../../verify/bundle/make/index.ts';
import type { AppDeps, BundleRequest } from '../../deps.ts';
import { ConcurrencyLimit } from '../../limits/concurrency-limit.ts';

/** Limits of the requests for one bundle: enough for its maximum of blocks, and for single receipts of a few blocks. */
const BOUNDS = { deadlineMs: 15_000, maxRequests: 2_000 } as const;

/** Makes a bundle on this thread. */
export async function makeBundleHere(
  client: AppDeps['client'],
  request: BundleRequest,
): Promise<Bundle> {
  return await makeBundle({ ...request, client: boundedClient(client, BOUNDS) });
}

/** Limit on concurrent bundles: each reads all receipts of whole blocks. */
const concurrency = new ConcurrencyLimit(4, 'bundles');

/** Characters of all bundles that a process stores. */
const MAX_CHARACTERS = 32 * 2 ** 20;

interface Made {
  readonly bundle: Promise<Bundle>;
  /** Characters; 1 while it is being made. */
  readonly size: number;
}

/** Bundles by the receipt that they prove. */
const made = new LRUCache<string, Made>({
  maxSize: MAX_CHARACTERS,
  sizeCalculation: ({ size }) => size,
});

/**
 * The bundle of a receipt. Requests for the same receipt share the one that was made, or is being made.
 * @param receipt everything that a bundle depends on: another state of the sale is another receipt.
 * @throws {HttpError} RATE_LIMITED if too many others are being made; and the errors of `makeBundle`.
 */
export async function sharedBundle(
  deps: AppDeps,
  receipt: unknown,
  request: BundleRequest,
): Promise<Bundle> {
  const { genesisHash, contractAddress } = deps.deployment;
  const key = createHash('sha256')
    .update(JSON.stringify([genesisHash, contractAddress, receipt], digits))
    .digest('base64');
  const known = made.get(key);
  if (known !== undefined) return await known.bundle;
  const bundle = concurrency.run(
    deps,
    async () => await (deps.bundles?.make(request) ?? makeBundleHere(deps.client, request)),
  );
  made.set(key, { bundle, size: 1 });
  try {
    const { length } = JSON.stringify(await bundle);
    made.set(key, { bundle, size: length });
  } catch (error) {
    made.delete(key);
    throw error;
  }
  return await bundle;
}

function digits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
