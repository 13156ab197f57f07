import {
  decodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  hexToString,
  type PublicClient,
  size,
} from 'viem';
import { isFailedCall } from '../../../chain/errors.ts';
import type { Address, Hex } from '../../../core/events.ts';
import { tokenOfCampaigns } from '../../../db/commerce/own-products.ts';
import type { ProductToken } from '../../../db/rows/commerce.ts';
import type { AppDeps } from '../../deps.ts';
import { type HttpError, notReady, unprocessable } from '../../errors.ts';
import { strangerCalls } from '../../limits/stranger-code.ts';
import { TimeoutError, withTimeout } from '../../limits/with-timeout.ts';

/** Milliseconds that the chain may take for one token. */
const CHAIN_MS = 5_000;
/** Limits of the contract on a token (docs/reference/protocol.md#tokens). */
const MAX_DECIMALS = 36;
const MAX_TEXT_CHARACTERS = 32;

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
  const { client } = strangerCalls(chain, { deadlineMs: CHAIN_MS, maxRequests: 3 });
  const answers = await withTimeout(readToken(client, address), CHAIN_MS).catch(
    (error: unknown) => {
      throw error instanceof TimeoutError ? unanswered() : error;
    },
  );
  const decimals = decimalsOf(answers.decimals);
  if (decimals === undefined) throw noToken(address);
  const name = textOf(answers.name);
  return { address, symbol: textOf(answers.symbol), decimals, ...(name === '' ? {} : { name }) };
}

async function readToken(client: PublicClient, address: Address) {
  const read = async (functionName: 'decimals' | 'symbol' | 'name') =>
    await answerOf(client, address, encodeFunctionData({ abi: erc20Abi, functionName }));
  const [decimals, symbol, name] = await Promise.all([
    read('decimals'),
    read('symbol'),
    read('name'),
  ]);
  return { decimals, symbol, name };
}

/** Result of a contract call; `0x` if it failed, or there is no contract. */
async function answerOf(client: PublicClient, to: Address, data: Hex): Promise<Hex> {
  try {
    return (await client.call({ to, data })).data ?? '0x';
  } catch (error) {
    if (!isFailedCall(error)) throw unanswered();
    return '0x';
  }
}

function decimalsOf(answer: Hex): number | undefined {
  if (size(answer) < 32) return undefined;
  const decimals = BigInt(answer.slice(0, 66));
  return decimals <= BigInt(MAX_DECIMALS) ? Number(decimals) : undefined;
}

/** Decodes a string, or the single zero-padded word of older tokens; empty if it is neither. */
function textOf(answer: Hex): string {
  try {
    const text =
      size(answer) === 32
        ? hexToString(answer, { size: 32 })
        : decodeAbiParameters([{ type: 'string' }], answer)[0];
    return [...text.replace(/\p{C}/gu, '')].slice(0, MAX_TEXT_CHARACTERS).join('');
  } catch {
    return '';
  }
}

function noToken(address: Address): HttpError {
  return unprocessable('The product cannot be saved: see issues.', [
    {
      path: 'token',
      message: `must be a token (EIP-20) with at most ${MAX_DECIMALS} decimals, which ${address} is not`,
    },
  ]);
}

function unanswered(): HttpError {
  const message = 'The chain did not answer what token this is: try again.';
  return notReady('token', message);
}
