import { z } from 'zod';
import type { CampaignView } from '../../../db/read/campaign-rows.ts';
import { type CreditView, listCredits } from '../../../db/read/list-credits.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { lowerAddress } from '../../address.ts';
import { cursorId, placeOf } from '../../cursor.ts';
import { earnedPage } from '../../earned-page.ts';
import { chainMeta, type Handler, PAGE_LIMIT } from '../../handler.ts';
import { earnedIn } from '../../render/earnings.ts';
import { commerceCall, unsignedTransaction } from '../../transactions/unsigned.ts';

const METHOD = 'earnings.credits';
const Place = z.tuple([cursorId]);

/** `earnings.credits`: what the token refused to pay the caller, with the transactions to sign. */
export const credits: Handler<'earnings.credits'> = async (input, deps, { session }) => {
  const { limit = PAGE_LIMIT } = input;
  const { address: account } = session;
  const after = placeOf(METHOD, input, Place)?.[0];
  const { page, chain } = await readLedger(deps.pool, async (snapshot) => {
    const found = await listCredits(snapshot, account, { after, limit: limit + 1 });
    const page = await earnedPage(
      snapshot,
      { found, limit, scope: { method: METHOD, input } },
      ({ campaignId }) => [campaignId],
      (row, campaign) => ({ row, campaign }),
    );
    return { page, chain: chainMeta(deps.deployment, snapshot.head) };
  });
  const to = input.to === undefined ? undefined : lowerAddress(input.to);
  // The chain is asked after the snapshot, which holds a connection, was released.
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
  { tokenSymbol }: CampaignView,
  to: `0x${string}`,
) {
  return commerceCall(deployment, {
    functionName: 'withdrawCredit',
    args: [BigInt(campaignId), to],
    description: `Sends the ${amount} base units of ${tokenSymbol} that you have as a credit in campaign ${campaignId} to ${to}.`,
  });
}
