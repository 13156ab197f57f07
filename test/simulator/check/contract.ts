import { erc20Abi } from 'viem';
import { referralCommerceAbi } from '../../../abis/referralCommerce.ts';
import { owedByContract } from '../../../engine/core/campaign.ts';
import { dayOf } from '../../../engine/core/fold/index.ts';
import type { Market } from '../chain/market.ts';
import type { Expected } from './expected.ts';

/**
 * Compares the fold with the contract's own views, account by account: each is owed exactly what the
 * ledger says, and the contract holds each token to the unit.
 */
export async function contractDifferences(
  { chain, tokens }: Market,
  { campaigns }: Expected,
  blockNumber: bigint,
): Promise<string[]> {
  const { client, contract: address } = chain;
  const call = { abi: referralCommerceAbi, address, blockNumber } as const;
  const found: string[] = [];
  for (const [id, { state }] of campaigns) {
    for (const [account, { claimable }] of state.accounts) {
      const args = [BigInt(id), account] as const;
      const owed = await client.readContract({ ...call, functionName: 'claimableRewards', args });
      if (owed === claimable) continue;
      found.push(`claimable of ${account} in ${id}: the contract says ${owed}, not ${claimable}`);
    }
  }
  for (const [id, { state }] of campaigns) {
    for (const [account, credit] of state.credits) {
      const args = [BigInt(id), account] as const;
      const reported = await client.readContract({ ...call, functionName: 'creditOf', args });
      if (reported === credit) continue;
      found.push(`credit of ${account} in ${id}: the contract says ${reported}, not ${credit}`);
    }
  }
  const { timestamp } = await client.getBlock({ blockNumber });
  const today = dayOf(Number(timestamp));
  for (const [id, { state }] of campaigns) {
    for (const [account, { perOrder, daily, expiry, day, attested }] of state.attesters) {
      const args = [BigInt(id), account] as const;
      const limits = await client.readContract({ ...call, functionName: 'attesterLimits', args });
      const folded = { perOrder, daily, expiry: BigInt(expiry) };
      const expected = { ...folded, attestedToday: day === today ? attested : 0n };
      for (const field of ['perOrder', 'daily', 'expiry', 'attestedToday'] as const) {
        if (limits[field] === expected[field]) continue;
        found.push(
          `${field} of ${account} in ${id}: the contract says ${limits[field]}, not ${expected[field]}`,
        );
      }
    }
  }
  for (const token of tokens) {
    const owed = owedIn(token, campaigns);
    const args = [address] as const;
    const read = { abi: erc20Abi, address: token, functionName: 'balanceOf', args } as const;
    const held = await client.readContract({ ...read, blockNumber });
    if (held !== owed) found.push(`the contract holds ${held} of ${token}, and owes ${owed}`);
    const obligations = await client.readContract({
      ...call,
      functionName: 'obligationsOf',
      args: [token],
    });
    if (obligations === owed) continue;
    found.push(`the contract says that it owes ${obligations} of ${token}, not ${owed}`);
  }
  return found;
}

/** Base units that the contract still owes in a token, over all campaigns. */
function owedIn(token: string, campaigns: Expected['campaigns']): bigint {
  let owed = 0n;
  for (const { state } of campaigns.values()) {
    if (state.campaign?.token !== token.toLowerCase()) continue;
    owed += owedByContract(state.snapshot.ledger);
  }
  return owed;
}
