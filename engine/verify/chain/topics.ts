import { numberToHex, toEventSelector } from 'viem';
import { referralCommerceAbi } from '../../../abis/index.ts';
import { type EventName, FactError, type Hex } from '../../core/events.ts';

/** An event in the contract's ABI. */
export type EventItem = Extract<(typeof referralCommerceAbi)[number], { type: 'event' }>;

type EventParameter = EventItem['inputs'][number];

/** How the logs of an event are decoded. */
export interface EventDecoder {
  readonly item: EventItem;
  /** Its parameters in the topics after the first, and those in the data. */
  readonly indexed: readonly EventParameter[];
  readonly plain: readonly EventParameter[];
}

// Made once: viem's `decodeEventLog` would hash the event's signature again for every log.
const decoders = referralCommerceAbi
  .filter((item): item is EventItem => item.type === 'event')
  .map((item) => ({
    item,
    selector: toEventSelector(item),
    indexed: parametersOf(item).filter(({ indexed }) => indexed),
    plain: parametersOf(item).filter(({ indexed }) => !indexed),
  }));
const bySelector = new Map<string, EventDecoder>(decoders.map((one) => [one.selector, one]));
const selectors = new Map<string, Hex>(decoders.map(({ item, selector }) => [item.name, selector]));

function parametersOf({ inputs }: EventItem): readonly EventParameter[] {
  return inputs;
}

/** The decoder of a log, by its first topic. */
export function decoderOf(selector: string | undefined): EventDecoder | undefined {
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
