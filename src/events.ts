import type { Abi, AbiEvent } from 'viem';
import { referralCommerceAbi } from '../abis/referralCommerce.ts';

/** The event that names a campaign but changes nothing: it reports what a call skipped. */
const SKIPPED = 'ClaimSkipped';

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

/** The events of the contract that are indexed: those that change a campaign. */
export const feedEvents = (referralCommerceAbi as Abi).filter(isFeedEvent);

function isFeedEvent(item: Abi[number]): item is AbiEvent & { name: FeedEventName } {
  if (item.type !== 'event' || item.name === SKIPPED) return false;
  return item.inputs.some((input) => input.name === 'campaignId');
}
