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
import { READ_GAS } from '../../limits/stranger-code.ts';
import { CHAIN_ANSWER_MS } from '../../limits/with-timeout.ts';

/** Limits of the contract on a token (docs/reference/tokens.md). */
export const MAX_DECIMALS = 36;
const MAX_TEXT_CHARACTERS = 32;

/** Bounds of the three requests. */
export const METADATA_BOUNDS = { deadlineMs: CHAIN_ANSWER_MS, maxRequests: 3, maxGas: READ_GAS };

/** Decimals, symbol and name that a token reports, within the limits of our contract. */
export interface TokenMetadata {
  /** `undefined` if it reports none that the contract takes. */
  readonly decimals: number | undefined;
  /** Empty if it has none that can be read. */
  readonly symbol: string;
  readonly name: string;
}

/** Asks a token (EIP-20) what it reports of itself. @throws if the RPC does not answer. */
export async function readMetadata(client: PublicClient, token: Address): Promise<TokenMetadata> {
  const read = async (functionName: 'decimals' | 'symbol' | 'name') =>
    await answerOf(client, token, encodeFunctionData({ abi: erc20Abi, functionName }));
  const [decimals, symbol, name] = await Promise.all([
    read('decimals'),
    read('symbol'),
    read('name'),
  ]);
  return { decimals: decimalsOf(decimals), symbol: textOf(symbol), name: textOf(name) };
}

/** Result of a contract call; `0x` if it failed, or there is no contract. */
async function answerOf(client: PublicClient, to: Address, data: Hex): Promise<Hex> {
  try {
    return (await client.call({ to, data })).data ?? '0x';
  } catch (error) {
    if (!isFailedCall(error)) throw error;
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
