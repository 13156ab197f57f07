import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  erc20Abi,
} from 'viem';
import type { z } from 'zod';
import { referralCommerceAbi } from '../../../../abis/index.ts';
import type { UnsignedTransaction } from '../../../contract/shapes/transaction.ts';
import type { Address } from '../../../core/events.ts';
import type { AppDeps } from '../../deps.ts';
import type { PlannedCall } from './planned-call.ts';
import { simulate } from './simulate.ts';

type Commerce = typeof referralCommerceAbi;

/**
 * Plans a call of the contract.
 * @example
 * commerceCall(deployment, { functionName: 'claimRewards', args: [[7n]], description: '…' })
 */
export function commerceCall<N extends ContractFunctionName<Commerce, 'nonpayable'>>(
  { contractAddress }: { readonly contractAddress: Address },
  call: {
    readonly functionName: N;
    readonly args: readonly unknown[] & ContractFunctionArgs<Commerce, 'nonpayable', N>;
    readonly description: string;
  },
): PlannedCall {
  const abi: Abi = referralCommerceAbi;
  const functionName: string = call.functionName;
  const args: readonly unknown[] = call.args;
  const data = encodeFunctionData({ abi, functionName, args });
  return { to: contractAddress, data, abi, description: call.description };
}

/** Plans an approval: the contract may take `amount` base units of a token (EIP-20). */
export function approveCall(
  { contractAddress }: { readonly contractAddress: Address },
  { token, amount, description }: { token: Address; amount: bigint; description: string },
): PlannedCall {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [contractAddress, amount],
  });
  return { to: token, data, abi: erc20Abi, description, mayDeny: true };
}

/**
 * Transaction for a wallet to sign, simulated by `eth_call` from the account at the newest block, so that a
 * revert is known before the wallet opens. It calls the chain: use it outside of `readLedger`, which holds
 * a connection. If the chain does not answer, the simulation is `unavailable`, and nothing fails.
 */
export async function unsignedTransaction(
  deps: Pick<AppDeps, 'client' | 'deployment'>,
  from: Address,
  call: PlannedCall,
): Promise<z.infer<typeof UnsignedTransaction>> {
  const { to, data, description } = call;
  return {
    chainId: deps.deployment.chainId,
    to,
    data,
    value: '0',
    description,
    simulation: await simulate(deps, from, call),
  };
}
