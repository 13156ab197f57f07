import type { Address } from '../../../core/events.ts';
import { tokenOfCampaigns } from '../../../db/commerce/own-products.ts';
import type { ProductToken } from '../../../db/rows/commerce.ts';
import type { AppDeps } from '../../deps.ts';
import { type HttpError, notReady, unprocessable } from '../../errors.ts';
import { strangerCalls } from '../../limits/stranger-code.ts';
import { CHAIN_ANSWER_MS, withTimeout } from '../../limits/with-timeout.ts';
import { MAX_DECIMALS, METADATA_BOUNDS, readMetadata } from '../tokens/metadata.ts';

/**
 * Token (EIP-20) as the ledger's campaigns describe it or, if there is none, as the token contract does,
 * within the limits of our contract. It may call the chain: use it outside of a transaction.
 * @param address in lower case.
 * @throws {HttpError} UNPROCESSABLE if it is not a token that a campaign could use.
 * @throws {HttpError} NOT_READY if the chain does not answer.
 */
export async function tokenFacts(
  { pool, ...chain }: Pick<AppDeps, 'pool' | 'client' | 'strangersClient'>,
  address: Address,
): Promise<ProductToken> {
  const known = await tokenOfCampaigns(pool, address);
  if (known !== undefined) return known;
  const { client } = strangerCalls(chain, METADATA_BOUNDS);
  const reported = await withTimeout(readMetadata(client, address), CHAIN_ANSWER_MS).catch(() => {
    throw notReady('token', 'The chain did not answer what token this is: try again.');
  });
  const { decimals, symbol, name } = reported;
  if (decimals === undefined) throw noToken(address);
  return { address, symbol, decimals, ...(name === '' ? {} : { name }) };
}

function noToken(address: Address): HttpError {
  return unprocessable('The product cannot be saved: see issues.', [
    {
      path: 'token',
      message: `must be a token (EIP-20) with at most ${MAX_DECIMALS} decimals, which ${address} is not`,
    },
  ]);
}
