import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { type CreditView, listCredits } from '../../../db/read/earnings/credits.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';
import { cursorId, ListPage } from '../../input/cursor.ts';
import { amountOf } from '../../render/amount-of.ts';
import { earnedIn } from '../../render/earnings.ts';
import { earnedPage } from '../../resources/earnings/earned-page.ts';
import { commerceCall, unsignedTransaction } from '../../resources/transactions/unsigned.ts';

/** `earnings.credits`: amounts that the token refused to pay the caller, with the transactions to sign. */
export const credits: Handler<'earnings.credits'> = async (input, deps, { account }) => {
  const list = new ListPage('earnings.credits', input, { campaignId: cursorId });
  const { after, limit } = list.query;
  const { page, chain } = await readLedger(deps.pool, async (snapshot) => {
    const found = await listCredits(snapshot, account, { after: after?.campaignId, limit });
    const page = await earnedPage(snapshot, list.of(found), (row, campaign) => ({ row, campaign }));
    return { page, chain: chainMeta(deps.deployment, snapshot.head) };
  });
  const to = input.to === undefined ? undefined : lowerAddress(input.to);
  // The chain is called after the snapshot, which holds a connection, was released.
  const items = page.items.map(async ({ row, campaign }) => ({
    ...earnedIn(campaign),
    amount: row.amount.toString(),
    withdraw:
      to === undefined
        ? null
        : await unsignedTransaction(
            deps,
            account,
            withdrawalOf(deps.deployment, row, campaign, to),
          ),
  }));
  return { data: { items: await Promise.all(items), nextCursor: page.nextCursor }, chain };
};

function withdrawalOf(
  deployment: Parameters<typeof commerceCall>[0],
  { campaignId, amount }: CreditView,
  campaign: CampaignView,
  to: `0x${string}`,
) {
  return commerceCall(deployment, {
    functionName: 'withdrawCredit',
    args: [BigInt(campaignId), to],
    description: `Sends the ${amountOf(amount, campaign)} that you have as a credit in campaign ${campaignId} to ${to}.`,
  });
}
