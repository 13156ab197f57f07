import type { z } from 'zod';
import type { TokenTotals } from '../../contract/shapes/token-totals.ts';
import type { TokenTotals as TokenTotalsView } from '../../db/read/token-totals.ts';
import { tokenOf } from './product.ts';
import { isTestChain } from './test-chains.ts';

/** Totals of a token, amounts as decimal digits. */
export function tokenTotals(chainId: number, totals: TokenTotalsView): z.infer<typeof TokenTotals> {
  const { token, deposited, rewardsClaimed, nativeVolume, ...counts } = totals;
  return {
    token: { ...tokenOf(token), testnet: isTestChain(chainId) },
    ...counts,
    deposited: deposited.toString(),
    rewardsClaimed: rewardsClaimed.toString(),
    nativeVolume: nativeVolume.toString(),
  };
}
