import {
  BaseError,
  ContractFunctionRevertedError,
  HttpRequestError,
  RpcRequestError,
  TimeoutError,
} from 'viem';

/** True if the RPC gave no answer: it cannot be reached, refused by HTTP, or took too long. */
export function isUnanswered(error: unknown): boolean {
  return hasCause(error, (one) => one instanceof HttpRequestError || one instanceof TimeoutError);
}

/** True if the RPC answered with an error of its own, such as that a call reverts. */
export function isRpcError(error: unknown): boolean {
  return hasCause(error, (one) => one instanceof RpcRequestError);
}

/** True if the called contract reverted. */
export function isRevert(error: unknown): boolean {
  return hasCause(error, (one) => one instanceof ContractFunctionRevertedError);
}

/** viem's names for a contract that reverts, has no such function, or returns something else. */
const CONTRACT_FAILURE =
  /^(?:ContractFunction(?:Reverted|ZeroData)|ExecutionReverted|AbiDecoding|InvalidBytes|PositionOutOfBounds)/;

/** True if the called contract failed in any way, and not the RPC. */
export function isContractFailure(error: unknown): boolean {
  return hasCause(
    error,
    (one) =>
      one instanceof Error &&
      (CONTRACT_FAILURE.test(one.name) || /out of gas|invalid opcode/i.test(one.message)),
  );
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
