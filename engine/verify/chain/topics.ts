import { numberToHex, toEventSelector } from 'viem';
import { referralCommerceAbi } from '../../../abis/index.ts';
import { type EventName, FactError, type Hex } from '../../core/events.ts';

/** An event in the contract's ABI. */
export type EventItem = Extract<(typeof referralCommerceAbi)[number], { type: 'event' }>;

// Hashed once: viem would hash the whole ABI again for every log that it decodes.
const events = referralCommerceAbi
  .filter((item): item is EventItem => item.type === 'event')
  .map((item) => ({ item, selector: toEventSelector(item) }));
const bySelector = new Map<string, EventItem>(events.map(({ item, selector }) => [selector, item]));
const selectors = new Map<string, Hex>(events.map(({ item, selector }) => [item.name, selector]));

/** The event of a log, by its first topic. */
export function eventOf(selector: string | undefined): EventItem | undefined {
  return selector === undefined ? undefined : bySelector.get(selector);
}

/** The first topic of an event's logs. */
export function selectorOf(eventName: EventName): Hex {
  const selector = selectors.get(eventName);
  if (selector !== undefined) return selector;
  throw new FactError(`the contract has no event ${eventName}`);
}

/** Encodes an id or an address as a topic of 32 bytes. */
export function topicOf(value: string): Hex {
  return numberToHex(BigInt(value), { size: 32 });
}
