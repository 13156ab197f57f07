import { erc20Abi } from 'viem';
import type { Address } from '../../../core/events.ts';
import type { AppDeps } from '../../deps.ts';
import { notReady } from '../../errors.ts';
import { READ_GAS, strangerCalls } from '../../limits/stranger-code.ts';
import { CHAIN_ANSWER_MS, withTimeout } from '../../limits/with-timeout.ts';

/** Balance and allowance of an account, base units of a token. */
export interface Holdings {
  readonly balance: bigint;
  /** How much the contract may take of it. */
  readonly allowance: bigint;
}

/**
 * Balance of an account and allowance of the contract at the newest block.
 * @throws {HttpError} NOT_READY if the chain does not answer.
 */
export async function readHoldings(
  deps: Pick<AppDeps, 'client' | 'strangersClient' | 'deployment'>,
  token: Address,
  account: Address,
): Promise<Holdings> {
  const { client } = strangerCalls(deps, {
    ...{ deadlineMs: CHAIN_ANSWER_MS, maxRequests: 2, maxGas: READ_GAS },
  });
  const { contractAddress } = deps.deployment;
  const contract = { address: token, abi: erc20Abi } as const;
  const [balance, allowance] = await withTimeout(
    Promise.all([
      client.readContract({ ...contract, functionName: 'balanceOf', args: [account] }),
      client.readContract({
        ...contract,
        functionName: 'allowance',
        args: [account, contractAddress],
      }),
    ]),
    CHAIN_ANSWER_MS,
  ).catch(() => {
    throw notReady(
      'chain',
      'The chain or the token did not answer with your balance and allowance: try again.',
    );
  });
  return { balance, allowance };
}
