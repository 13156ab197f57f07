import { ponder } from 'ponder:registry';
import { chainEvent } from 'ponder:schema';
import type { Abi, AbiEvent } from 'viem';
import { referralCommerceAbi } from '../abis/referralCommerce.ts';
import { encodeArgs } from './encode.ts';

/** The event that names a campaign but changes nothing: it reports what a call skipped. */
const SKIPPED = 'ClaimSkipped';

// Every event becomes a row, by one handler: settlement decides what it means.
for (const abiEvent of (referralCommerceAbi as Abi).filter(isFeedEvent)) {
  const { name } = abiEvent;
  ponder.on(`ReferralCommerce:${name}`, async ({ event, context }) => {
    await context.db.insert(chainEvent).values({
      campaignId: event.args.campaignId,
      id: event.id,
      blockNumber: event.block.number,
      blockHash: event.block.hash,
      blockTimestamp: event.block.timestamp,
      transactionHash: event.transaction.hash,
      logIndex: event.log.logIndex,
      name,
      args: encodeArgs(abiEvent.inputs, event.args),
    });
  });
}

/** The names of the events that change a campaign: those that name one, except `SKIPPED`. */
type FeedEventName<Item = (typeof referralCommerceAbi)[number]> = Item extends {
  type: 'event';
  name: infer Name;
  inputs: infer Inputs extends readonly { name: string }[];
}
  ? 'campaignId' extends Inputs[number]['name']
    ? Exclude<Name, typeof SKIPPED>
    : never
  : never;

function isFeedEvent(item: Abi[number]): item is AbiEvent & { name: FeedEventName } {
  if (item.type !== 'event' || item.name === SKIPPED) return false;
  return item.inputs.some((input) => input.name === 'campaignId');
}
