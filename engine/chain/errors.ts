import { BaseError, HttpRequestError, TimeoutError } from 'viem';
import type { Hex } from '../core/events.ts';
import { revertDataIn } from '../core/revert-data.ts';
import { type RefusalKind, refusalKind, waitMs } from '../core/rpc-refusal.ts';

/** True if the RPC gave no answer: it cannot be reached, refused by HTTP, or took too long. */
export function isUnanswered(error: unknown): boolean {
  return hasCause(error, (one) => one instanceof HttpRequestError || one instanceof TimeoutError);
}

/** True if the RPC took too long. */
export function isTimeout(error: unknown): boolean {
  return hasCause(error, (one) => one instanceof TimeoutError);
}

/** True if an answer was longer than we read. */
function isTooLong(error: unknown): boolean {
  return causesOf(error).some(({ name }) => name === 'ResponseBodyTooLargeError');
}

/** JSON-RPC codes for a method or parameter that the RPC does not have (JSON-RPC 2.0, section 5.1). */
const UNSUPPORTED_CODES: ReadonlySet<number> = new Set([-32_601, -32_602]);
/** Code of geth and erigon for a block that they do not know, and so for a tag that has no block yet. */
const UNKNOWN_BLOCK_CODE = -39_001;
/** Texts of nodes for a block or tag that they do not have, whatever the code. */
const UNKNOWN_BLOCK =
  /unknown block|(?:header|block) not found|block is not (?:available|found)|pending state is not available|(?:tag|method) .*not supported|unsupported (?:block )?(?:tag|method)/i;
/** Codes of providers for a limit of requests, or of what one asks for (EIP-1474 has the first). */
const LIMIT_CODES: ReadonlySet<number> = new Set([
  ...[-32_005, -32_007, -32_011, -32_016, -32_029, -32_090, -32_097, 429],
]);
/** Texts of a provider that limits requests: they may come with any code. */
const LIMITED =
  /rate|limit|exceed|quota|capacity|too many|credits|throttl|overload|busy|unauthor|forbidden/i;

/**
 * True if the RPC says that it does not have a block, tag or method. A refusal, a limit, a time-out or an error
 * of a proxy is no such answer: nothing is known then (docs/how-it-works/settlement.md#a-refusal-is-not-an-absence).
 */
export function isAbsent(error: unknown): boolean {
  if (isUnanswered(error)) return false;
  const causes = causesOf(error);
  if (causes.some(({ name }) => NOT_FOUND.test(name))) return true;
  if (isLimited(error)) return false;
  const code = codeOf(causes);
  if (code === UNKNOWN_BLOCK_CODE || UNSUPPORTED_CODES.has(code ?? 0)) return true;
  return UNKNOWN_BLOCK.test(rpcTextOf(causes) ?? '');
}

/** Code of EIP-4444 for history that a node has pruned. */
const PRUNED_CODE = 4444;
const PRUNED = /prune|historical/i;

/** True if the RPC says that it no longer has something old: the chain has it. */
export function isPruned(error: unknown): boolean {
  const causes = causesOf(error);
  return (
    !isLimited(error) && (codeOf(causes) === PRUNED_CODE || PRUNED.test(rpcTextOf(causes) ?? ''))
  );
}

/** True if the RPC refused a request because of its rate, size, quota or credentials. */
export function isLimited(error: unknown): boolean {
  const causes = causesOf(error);
  const text = rpcTextOf(causes);
  return text !== undefined && (LIMIT_CODES.has(codeOf(causes) ?? 0) || LIMITED.test(text));
}

/** The change after which the RPC answers a request that failed. */
export function refusalOf(error: unknown): RefusalKind {
  if (isTooLong(error)) return 'size';
  const causes = causesOf(error);
  const words = rpcTextOf(causes);
  return refusalKind({ code: codeOf(causes), words, status: httpStatusOf(error) });
}

/** True if the RPC refused because of how much it is asked in all: more requests make it worse. */
export function isRateLimited(error: unknown): boolean {
  return refusalOf(error) === 'rate';
}

/** Milliseconds after which the RPC wants to be asked again; 0 if it did not say. */
export function waitAfter(error: unknown, now = Date.now()): number {
  const causes = causesOf(error);
  const headers = causes.map((one) => one.headers).find((one) => one !== undefined);
  const data = causes.find((one) => one.data !== undefined)?.data;
  const words = rpcTextOf(causes);
  return waitMs({ retryAfter: headers?.get('retry-after'), words, data }, now);
}

/**
 * Thrown if an RPC answers with less than it must have, such as no receipts of a block that it has. The message is the
 * end of a sentence that begins with "The blockchain node", and holds no URL.
 */
export class IncompleteAnswerError extends Error {
  override readonly name = 'IncompleteAnswerError';
}

/** The text of an RPC's own error, as it is: it may hold the RPC's URL, and that a key. */
export function rpcWords(error: unknown): string | undefined {
  return rpcTextOf(causesOf(error));
}

/** The HTTP status with which an RPC or a proxy refused a request. */
export function httpStatusOf(error: unknown): number | undefined {
  const causes = causesOf(error);
  const ofOneInBatch = causes.find(({ details }) => HTTP_STATUS.test(details));
  return causes.find(({ status }) => status !== undefined)?.status ?? ofOneInBatch?.code;
}

/** Words that `rpcFetch` gives to a request of a batch that was refused alone, by HTTP. */
const HTTP_STATUS = /^HTTP \d{3}$/;

function codeOf(causes: readonly Cause[]): number | undefined {
  return causes.find((one) => one.code !== undefined)?.code;
}

/** The text of the RPC's own error: viem's errors around it have words of their own. */
function rpcTextOf(causes: readonly Cause[]): string | undefined {
  return causes.find(({ name }) => name === 'RpcRequestError')?.details;
}

interface Cause {
  readonly name: string;
  readonly message: string;
  readonly details: string;
  readonly data: unknown;
  readonly code: number | undefined;
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
}

/** An error and its causes, the outermost first. */
function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = [];
  let next = error;
  for (let depth = 0; depth < 10 && next instanceof Error; depth += 1) {
    const [code, status, headers]: unknown[] = ['code', 'status', 'headers'].map((name) =>
      Reflect.get(Object(next), name),
    );
    causes.push({
      name: next.name,
      message: next.message,
      details: String(Reflect.get(next, 'details') ?? ''),
      data: Reflect.get(next, 'data'),
      code: typeof code === 'number' ? code : undefined,
      status: typeof status === 'number' ? status : undefined,
      headers: headers instanceof Headers ? headers : undefined,
    });
    next = next.cause;
  }
  return causes;
}

/** HTTP statuses of an RPC or proxy that is overloaded or away, not of one that refuses a request for good. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** True if the RPC or a proxy refused this request by HTTP, and asking again would not help. */
export function isRefusedByHttp(error: unknown): boolean {
  const status = httpStatusOf(error);
  if (status === undefined || status < 400 || status >= 500) return false;
  return !TEMPORARY_STATUSES.has(status);
}

/** Why a request failed, in our own words: a message of an RPC or of viem may hold its URL, and that a key. */
export function failureOf(error: unknown): string {
  const causes = causesOf(error);
  const wrong = causes.find(({ name }) => name === 'WrongChainError');
  if (wrong !== undefined) return `is left out: ${wrong.message}`;
  const incomplete = causes.find(({ name }) => name === 'IncompleteAnswerError');
  if (incomplete !== undefined) return incomplete.message;
  if (causes.some(({ name }) => name === 'TimeoutError')) return 'does not respond';
  if (isTooLong(error)) return 'gave an answer that is too long';
  const code = codeOf(causes);
  const status = httpStatusOf(error);
  if (isRateLimited(error)) {
    const by = status === undefined ? `code ${code}` : `HTTP ${status}`;
    return `limits how much it is asked (${by})`;
  }
  if (status !== undefined) return `answered HTTP ${status}`;
  if (causes.some(({ name, message }) => name === 'SyntaxError' || message === 'terminated')) {
    return 'gave no answer that can be read';
  }
  if (isUnanswered(error)) return 'does not respond';
  return code === undefined ? 'gave no answer that can be read' : `refused (code ${code})`;
}

/** Code of a reverted call: EIP-1474 names none, and nodes use 3. */
const REVERT_CODE = 3;
/** Texts of nodes for a reverted call, whatever the code. */
const REVERTED = /execution reverted|vm execution error|vm exception|transaction: revert/i;
/** Texts of nodes for a call that ended in the EVM otherwise: it used up its gas, or its code is wrong. */
const HALTED =
  /out ?of ?gas|gas required exceeds|invalid (?:opcode|jump)|stack (?:under|over)flow|evm error|insufficient (?:funds|balance)/i;

/**
 * Revert data of a call, `0x` if it has none; `undefined` if the RPC did not say that the call reverts. viem takes
 * every error with the code -32603 for a revert, and so a rate limit that has this code.
 */
export function revertData(error: unknown): Hex | undefined {
  const causes = causesOf(error);
  const data = causes.map((one) => revertDataIn(one.data)).find((one) => one !== undefined);
  if (data !== undefined) return data;
  const isRevert = causes.some(
    ({ code, details, message }) => code === REVERT_CODE || REVERTED.test(details || message),
  );
  return isRevert ? '0x' : undefined;
}

/** True if the RPC says that the called contract reverted. A refusal is no such answer. */
export function isRevert(error: unknown): boolean {
  return revertData(error) !== undefined;
}

/** True if the RPC executed the call, and the call failed. A refusal is no such answer. */
export function isFailedCall(error: unknown): boolean {
  if (isRevert(error)) return true;
  const causes = causesOf(error);
  return !LIMIT_CODES.has(codeOf(causes) ?? 0) && HALTED.test(rpcTextOf(causes) ?? '');
}

/** viem's names for a contract that has no such function, or returns something else. */
const OTHER_CONTRACT = /^(?:ContractFunctionZeroData|AbiDecoding|InvalidBytes|PositionOutOfBounds)/;

/** True if the called contract failed in any way, and not the RPC. */
export function isContractFailure(error: unknown): boolean {
  return isFailedCall(error) || causesOf(error).some(({ name }) => OTHER_CONTRACT.test(name));
}

/** viem's names for an RPC that answers that it does not have something. */
const NOT_FOUND = /^(?:Block|Transaction|TransactionReceipt)NotFoundError$/;

/**
 * The answer of the RPC; `null` if it says that there is no such block, transaction or receipt.
 * @throws any other error of the request.
 */
export async function nullIfNotFound<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Error && NOT_FOUND.test(error.name)) return null;
    throw error;
  }
}

function hasCause(error: unknown, test: (cause: unknown) => boolean): boolean {
  return error instanceof BaseError && error.walk(test) !== null;
}
