import { decodeErrorResult } from 'viem';
import { referralCommerceAbi } from '../../../abis/index.ts';
import { FactError } from '../../core/events.ts';
import { revertDataIn } from '../../core/revert-data.ts';

/** The chain's answer to one question, or the reason why there is none, as a sentence. */
export type ChainAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** Thrown if a search would take more requests than a verification may send. */
export class SearchTooWideError extends Error {
  override readonly name = 'SearchTooWideError';
}

/** Waits for an answer; `what` names the question, as the subject of a sentence. Never rejects. */
export async function ask<T>(what: string, question: Promise<T>): Promise<ChainAnswer<T>> {
  try {
    return { ok: true, value: await question };
  } catch (error) {
    return { ok: false, reason: notRead(what, error) };
  }
}

/** A sentence that says what could not be read and why, without the URL of the RPC. */
export function notRead(what: string, error: unknown): string {
  return `${what} could not be read: ${reasonOf(error)}.`;
}

/** An answer that has this value. */
export function answered<T>(value: T): ChainAnswer<T> {
  return { ok: true, value };
}

/** The reasons of the answers that are missing. */
export function missingOf(...answers: readonly ChainAnswer<unknown>[]): string[] {
  return answers.flatMap((answer) => (answer.ok ? [] : [answer.reason]));
}

/**
 * The reason why a request failed, in our own words: messages of an RPC or of viem may hold its URL,
 * and a URL may hold a key.
 */
function reasonOf(error: unknown): string {
  if (error instanceof SearchTooWideError) return error.message;
  if (error instanceof FactError) return 'the RPC gave an event of another shape';
  for (const cause of causesOf(error)) {
    const known = reasons[cause.name];
    if (known !== undefined) return known(cause);
    if (numberOf(cause, 'code') !== undefined) return refused(cause);
  }
  return 'the RPC gave no answer that can be read';
}

/**
 * Reads from a failed call what it says about the contract: the name of the contract's own error, `no contract` if the
 * address has none, `revert` if the contract does not know the function; `undefined` if the RPC failed.
 */
export function contractError(error: unknown): string | undefined {
  const causes = [...causesOf(error)];
  if (causes.some(({ name }) => NO_CONTRACT.has(name))) return 'no contract';
  const named = causes.map((cause) => errorNameIn(Reflect.get(cause, 'data'))).find((one) => one);
  if (named !== undefined) return named;
  if (!causes.some(({ name }) => name === 'ContractFunctionRevertedError')) return undefined;
  // A refusal of the RPC has a code of its own; a revert has JSON-RPC's code 3 or none.
  const code = causes.map((one) => numberOf(one, 'code')).find((one) => one);
  return code === undefined || code === REVERT_CODE ? 'revert' : undefined;
}

/** Name of the contract's error in the `data` of an RPC's. viem reads it only if the RPC's code is one of a few. */
function errorNameIn(data: unknown): string | undefined {
  const reverted = revertDataIn(data);
  if (reverted === undefined) return undefined;
  try {
    return decodeErrorResult({ abi: referralCommerceAbi, data: reverted }).errorName;
  } catch {
    return undefined;
  }
}

const NO_CONTRACT = new Set(['ContractFunctionZeroDataError', 'AbiDecodingZeroDataError']);
/** Code of a reverted call (EIP-1474 leaves it open; nodes use 3). */
const REVERT_CODE = 3;

type Reason = (error: Error) => string;

const refused: Reason = (error) => {
  const code = numberOf(error, 'code');
  return code === undefined ? 'the RPC refused' : `the RPC refused (code ${code})`;
};
const unreachable: Reason = (error) => {
  const status = numberOf(error, 'status');
  return status === undefined ? 'the RPC cannot be reached' : `the RPC answered HTTP ${status}`;
};
const unknown: Reason = () => 'the RPC does not know it';

/** Reasons by the name of viem's error: `instanceof` would fail for a second copy of viem. */
const reasons: Readonly<Record<string, Reason>> = {
  TimeoutError: () => 'the RPC did not answer in time',
  HttpRequestError: unreachable,
  WebSocketRequestError: unreachable,
  SocketClosedError: unreachable,
  // viem takes an RPC's internal error for a revert.
  ContractFunctionRevertedError: () => 'the RPC or the contract refused the call',
  ContractFunctionZeroDataError: () => 'there is no such contract at that block',
  AbiDecodingZeroDataError: () => 'there is no such contract at that block',
  BlockNotFoundError: unknown,
  TransactionReceiptNotFoundError: unknown,
  TransactionNotFoundError: unknown,
  RpcRequestError: refused,
  // Thrown by our own client of several RPCs.
  WrongChainError: ({ message }) => message.replace('The RPC', 'the RPC'),
};

/** An error and its causes, the outermost first. */
export function* causesOf(error: unknown): Generator<Error> {
  let next = error;
  for (let depth = 0; depth < 10 && next instanceof Error; depth += 1) {
    yield next;
    next = next.cause;
  }
}

/** A number that an error has. */
export function numberOf(error: Error, field: 'code' | 'status'): number | undefined {
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'number' ? value : undefined;
}
