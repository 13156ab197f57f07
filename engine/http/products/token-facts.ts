import {
  decodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  hexToString,
  type PublicClient,
  size,
} from 'viem';
import type { Address, Hex } from '../../core/events.ts';
import { tokenOfCampaigns } from '../../db/commerce/own-products.ts';
import type { ProductToken } from '../../db/commerce/save-product.ts';
import type { AppDeps } from '../deps.ts';
import { NotReadyError, UnprocessableError } from '../errors.ts';
import { inTime, LateError } from '../in-time.ts';
import { strangerCalls } from '../stranger-code.ts';
import { revertData } from '../transactions/simulate.ts';

/** Milliseconds that the chain may take. */
const CHAIN_MS = 5_000;
/** As the contract takes them (design §3). */
const DECIMALS_MOST = 36;
const TEXT_CHARACTERS_MOST = 32;

/**
 * A token (EIP-20) as the ledger's campaigns name it, or, where none is in it, as it names itself on
 * the chain, with the bounds of the contract. Asks the chain: call it outside of a transaction.
 * @param address in lower case.
 * @throws {UnprocessableError} where it is no token that a campaign could be in.
 * @throws {NotReadyError} where the chain does not answer.
 */
export async function tokenFacts(
  { pool, ...chain }: Pick<AppDeps, 'pool' | 'client' | 'strangersClient'>,
  address: Address,
): Promise<ProductToken> {
  const known = await tokenOfCampaigns(pool, address);
  if (known !== undefined) return known;
  const { client } = strangerCalls(chain, { deadlineMs: CHAIN_MS, maxRequests: 3 });
  const answers = await inTime(askChain(client, address), CHAIN_MS).catch((error: unknown) => {
    throw error instanceof LateError ? unanswered() : error;
  });
  const decimals = decimalsOf(answers.decimals);
  if (decimals === undefined) throw noToken(address);
  const name = textOf(answers.name);
  return { address, symbol: textOf(answers.symbol), decimals, ...(name === '' ? {} : { name }) };
}

async function askChain(client: PublicClient, address: Address) {
  const ask = async (functionName: 'decimals' | 'symbol' | 'name') =>
    await answerOf(client, address, encodeFunctionData({ abi: erc20Abi, functionName }));
  const [decimals, symbol, name] = await Promise.all([ask('decimals'), ask('symbol'), ask('name')]);
  return { decimals, symbol, name };
}

/** What the contract answered; `0x` where it refused, or there is none. */
async function answerOf(client: PublicClient, to: Address, data: Hex): Promise<Hex> {
  try {
    return (await client.call({ to, data })).data ?? '0x';
  } catch (error) {
    if (revertData(error) === undefined) throw unanswered();
    return '0x';
  }
}

function decimalsOf(answer: Hex): number | undefined {
  if (size(answer) < 32) return undefined;
  const decimals = BigInt(answer.slice(0, 66));
  return decimals <= BigInt(DECIMALS_MOST) ? Number(decimals) : undefined;
}

/** A text, or the one word padded with zeros that older tokens answer; empty where it is neither. */
function textOf(answer: Hex): string {
  try {
    const text =
      size(answer) === 32
        ? hexToString(answer, { size: 32 })
        : decodeAbiParameters([{ type: 'string' }], answer)[0];
    return [...text.replace(/\p{C}/gu, '')].slice(0, TEXT_CHARACTERS_MOST).join('');
  } catch {
    return '';
  }
}

function noToken(address: Address): UnprocessableError {
  return new UnprocessableError('The product cannot be saved: see issues.', [
    {
      path: 'token',
      message: `must be a token (EIP-20) with at most ${DECIMALS_MOST} decimals, and ${address} is none`,
    },
  ]);
}

function unanswered(): NotReadyError {
  const message = 'The chain did not say what token this is: try again.';
  return new NotReadyError([{ path: 'token', message }]);
}
