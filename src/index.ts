import { ponder } from 'ponder:registry';
import { chainEvent } from 'ponder:schema';
import type { Abi, AbiEvent } from 'viem';
import { referralCommerceAbi } from '../abis/referralCommerce.ts';
import { encodeArgs } from './encode.ts';

// Every event of a campaign becomes a row, by one handler: what an event means is settlement's.
for (const abiEvent of (referralCommerceAbi as Abi).filter(isCampaignEvent)) {
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

/** The names of the events that have a campaign: all but those of the libraries. */
type CampaignEventName<Item = (typeof referralCommerceAbi)[number]> = Item extends {
  type: 'event';
  name: infer Name;
  inputs: infer Inputs extends readonly { name: string }[];
}
  ? 'campaignId' extends Inputs[number]['name']
    ? Name
    : never
  : never;

function isCampaignEvent(item: Abi[number]): item is AbiEvent & { name: CampaignEventName } {
  return item.type === 'event' && item.inputs.some((input) => input.name === 'campaignId');
}
