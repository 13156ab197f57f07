import { createHash } from 'node:crypto';
import type { Method } from '../contract/define.ts';
import type { ResponseMeta } from '../contract/envelope.ts';
import type { Address } from '../core/events.ts';
import {
  type Claim,
  claimKey,
  KEY_HOURS,
  type NamedRequest,
  releaseKey,
  saveResponse,
} from '../db/commerce/idempotency.ts';
import type { AppDeps } from './deps.ts';
import { HttpError, invalidField } from './errors.ts';

/** A key: printable ASCII without spaces. */
const KEY = /^[\x21-\x7e]{1,200}$/;

/** Result of a named request, as it is stored and sent. */
export interface NamedResult {
  /** JSON text of the response's `data`. */
  readonly data: string;
  readonly meta: Omit<ResponseMeta, 'requestId'>;
}

/**
 * Reads the header `Idempotency-Key` (docs/reference/api.md#repeating-a-write).
 * @throws {HttpError} VALIDATION_FAILED if it is not 1 to 200 printable characters.
 */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || KEY.test(header)) return header;
  throw invalidField('idempotency-key', 'must be 1 to 200 printable ASCII characters');
}

/** A named request, with what its method says of the response. */
type Named = NamedRequest & { readonly returnsSecret: boolean };

/** Content of a request. */
interface Asked {
  readonly method: Pick<Method, 'name' | 'returnsSecret'>;
  readonly input: unknown;
  /** The merchant for which it asks, if it does for one. */
  readonly caller: { readonly merchant: Address | undefined };
}

/** Names a request by its key: the same key with another method, input or merchant is another request. */
export async function nameRequest(
  account: Address,
  key: string,
  { method, input, caller }: Asked,
): Promise<Named> {
  // A fresh signature has a token of its own, and asks for the same.
  const { confirmationToken, ...fields } = Object.fromEntries(Object.entries(input ?? {}));
  const hash = createHash('sha256').update(method.name).update('\0');
  hash.update(caller.merchant ?? '').update('\0');
  for (const [name, value] of Object.entries(fields)) {
    hash.update(JSON.stringify(name)).update('\0');
    hash.update(
      value instanceof Blob
        ? Buffer.from(await value.arrayBuffer())
        : (JSON.stringify(value) ?? ''),
    );
    hash.update('\0');
  }
  return { account, key, hash: hash.digest(), returnsSecret: method.returnsSecret === true };
}

/**
 * Runs a named request once: a repeated one gets the stored response, and does nothing. A response with a secret
 * is not stored, so the repeated request is refused.
 * @returns whether the response is that of an earlier request.
 * @throws {HttpError} IDEMPOTENCY_CONFLICT or CONFLICT; also what the request throws, and then the key is free again
 * unless something was stored.
 */
export async function runOnce(
  { pool, clock }: Pick<AppDeps, 'pool' | 'clock'>,
  request: Named,
  run: () => Promise<NamedResult>,
): Promise<NamedResult & { readonly isReplayed: boolean }> {
  const claim = await claimKey(pool, request, new Date(clock()));
  if (claim.name === 'answered') return { ...claim, isReplayed: true };
  if (claim.name !== 'claimed') throw refusalOf(claim);
  try {
    const result = await run();
    const stored = request.returnsSecret ? null : result.data;
    await saveResponse(pool, request, stored, result.meta);
    return { ...result, isReplayed: false };
  } catch (error) {
    await releaseKey(pool, request);
    throw error;
  }
}

function refusalOf({ name }: Exclude<Claim, { name: 'claimed' | 'answered' }>): HttpError {
  switch (name) {
    case 'different':
      return new HttpError(
        'IDEMPOTENCY_CONFLICT',
        `This Idempotency-Key was used for another request in the last ${KEY_HOURS} hours: use a new one.`,
      );
    case 'lost':
      return new HttpError(
        'IDEMPOTENCY_CONFLICT',
        'The request with this Idempotency-Key was carried out, and its response was lost: read what it made.',
      );
    case 'secret':
      return new HttpError(
        'IDEMPOTENCY_CONFLICT',
        'The request with this Idempotency-Key was carried out. Its response had a secret, which is returned only once: read what it made, and replace or remove that if the secret was lost.',
      );
    case 'running':
      return new HttpError(
        'CONFLICT',
        'The request with this Idempotency-Key is still running: try again.',
        [],
        { 'retry-after': '1' },
      );
  }
}
