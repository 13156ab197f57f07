import { encodeFunctionData } from 'viem';
import { blocklistTokenAbi } from '../../../abis/test/blocklistToken.ts';
import { callOf } from './call.ts';
import type { Move } from './sales.ts';

/** Blocks somebody in the blocklist token, or unblocks: refunds and rewards to it are credited then. */
export const block: Move = async ({ market, dice }) => {
  const account = dice.pick(market.everybody).address;
  const data = encodeFunctionData({
    abi: blocklistTokenAbi,
    functionName: 'setBlocked',
    args: [account, dice.chance(40)],
  });
  return { functionName: 'setBlocked', from: account, to: market.blocklistToken, data };
};

/** Somebody who has a credit takes it, as a rule to another account. */
export const withdraw: Move = async (sight) => {
  for (let tries = 0; tries < 12; tries += 1) {
    const campaign = await sight.campaignOfToken(sight.market.blocklistToken);
    if (campaign === undefined) return undefined;
    if ((await sight.ledger(campaign.id)).creditOutstanding === 0n) continue;
    for (const { address } of sight.market.everybody) {
      if ((await sight.credit(campaign.id, address)) === 0n) continue;
      return callOf(address, 'withdrawCredit', [campaign.id, sight.anybody().address]);
    }
  }
  return undefined;
};
