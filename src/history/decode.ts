import {
  type AbiEvent,
  type AbiParameter,
  decodeAbiParameters,
  type Hex,
  toEventSelector,
} from 'viem';
import { type Arg, encodeArgs } from '../encode.ts';
import { feedEvents } from '../events.ts';

/** An event of a log, with its arguments as `chain_event.args` has them. */
export interface DecodedEvent {
  readonly name: string;
  readonly args: { readonly [key: string]: Arg };
}

/** The parts of a log that its event is decoded from. */
export interface EncodedEvent {
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

interface EventDecoder {
  readonly event: AbiEvent;
  readonly indexed: AbiEvent['inputs'];
  readonly plain: AbiEvent['inputs'];
  /** Readers by the order of the ABI; `undefined` if viem has to decode an argument. */
  readonly fields: readonly Field[] | undefined;
}

/** Widest integers that viem returns as numbers. */
const NUMBER_BITS = 48;

/** Decoders by first topic. viem's `decodeEventLog` would hash every signature of the ABI for each log. */
const decoders: ReadonlyMap<Hex, EventDecoder> = new Map(
  feedEvents.map((event) => [
    toEventSelector(event),
    {
      event,
      indexed: event.inputs.filter(({ indexed }) => indexed === true),
      plain: event.inputs.filter(({ indexed }) => indexed !== true),
      fields: fieldsOf(event.inputs),
    },
  ]),
);

/** First topics of the events that are indexed. */
export const selectors: readonly Hex[] = [...decoders.keys()];

/**
 * Decodes a log.
 * @throws if it is of no known event, or its data are not those of the event.
 */
export function decodeEvent(log: EncodedEvent): DecodedEvent {
  const [selector] = log.topics;
  const decoder = selector && decoders.get(selector);
  if (!decoder) throw new Error(`no event of the contract has the selector ${selector}`);
  const { name } = decoder.event;
  return { name, args: readFields(decoder, log) ?? decodeByViem(decoder, log) };
}

/** Decodes any event; it took half of the processor time of a load. */
function decodeByViem({ event, indexed, plain }: EventDecoder, { topics, data }: EncodedEvent) {
  const args: Record<string, unknown> = {};
  const values = decodeAbiParameters(plain, data);
  plain.forEach(({ name = '' }, i) => {
    args[name] = values[i];
  });
  indexed.forEach((input, i) => {
    args[input.name ?? ''] = decodeAbiParameters([input], topics[i + 1] ?? '0x')[0];
  });
  // In the order of the ABI, as viem returns them to the handler.
  return encodeArgs(event.inputs, args);
}

/** Reads a word of 64 hex digits; `undefined` if it is not as the contract encodes it. */
type WordReader = (word: string) => Arg | undefined;

/** An argument that is one word, or a list of words. */
interface Field {
  readonly name: string;
  readonly isIndexed: boolean;
  readonly isList: boolean;
  readonly read: WordReader;
}

function fieldsOf(inputs: AbiEvent['inputs']): readonly Field[] | undefined {
  const fields = inputs.map((input): Field | undefined => {
    const isList = input.type.endsWith('[]');
    const read = readerOf({ ...input, type: isList ? input.type.slice(0, -2) : input.type });
    const isIndexed = input.indexed === true;
    if (read === undefined || (isList && isIndexed)) return undefined;
    return { name: input.name ?? '', isIndexed, isList, read };
  });
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function readerOf({ type }: AbiParameter): WordReader | undefined {
  if (type === 'address') return (word) => `0x${word.slice(24)}`;
  if (type === 'bytes32') return (word) => `0x${word}`;
  if (type === 'bool') {
    return (word) => (ZEROS.test(word) ? { 0: false, 1: true }[word.slice(-1)] : undefined);
  }
  const bits = /^uint(\d+)$/.exec(type)?.[1];
  if (bits === undefined) return undefined;
  return Number(bits) <= NUMBER_BITS ? readNumber : readDigits;
}

/** All digits but the last are zeros. */
const ZEROS = /^0{63}/;
/** Digits of a word before those of a number that JavaScript has exactly. */
const HIGH_DIGITS = 51;
const NO_HIGH_DIGITS = '0'.repeat(HIGH_DIGITS);

function readNumber(word: string): Arg | undefined {
  return word.startsWith(NO_HIGH_DIGITS) ? Number.parseInt(word.slice(HIGH_DIGITS), 16) : undefined;
}

function readDigits(word: string): Arg {
  return String(readNumber(word) ?? BigInt(`0x${word}`));
}

const WORD = 64;
const HEX = /^0x[0-9a-f]*$/;

/** Arguments whose data are as Solidity encodes them; `undefined` if they are not, or viem has to decode them. */
function readFields(
  { fields, indexed, plain }: EventDecoder,
  { topics, data }: EncodedEvent,
): DecodedEvent['args'] | undefined {
  if (fields === undefined || topics.length !== indexed.length + 1) return undefined;
  if (!HEX.test(data) || !topics.every((topic) => topic.length === WORD + 2 && HEX.test(topic))) {
    return undefined;
  }
  const args: Record<string, Arg> = {};
  const wordAt = (at: number) => data.slice(2 + at, 2 + at + WORD);
  let [topicAt, headAt, tailAt] = [1, 0, WORD * plain.length];
  for (const { name, isIndexed, isList, read } of fields) {
    let value: Arg | undefined;
    if (isIndexed) {
      value = read(topics[topicAt]?.slice(2) ?? '');
      topicAt += 1;
    } else if (isList) {
      const length = readNumber(wordAt(tailAt));
      if (readNumber(wordAt(headAt)) !== tailAt / 2 || typeof length !== 'number') return undefined;
      if (tailAt + WORD * (1 + length) > data.length - 2) return undefined;
      const from = tailAt + WORD;
      const values = Array.from({ length }, (_, i) => read(wordAt(from + WORD * i)));
      value = values.every((one) => one !== undefined) ? values : undefined;
      [headAt, tailAt] = [headAt + WORD, from + WORD * length];
    } else {
      value = read(wordAt(headAt));
      headAt += WORD;
    }
    if (value === undefined) return undefined;
    args[name] = value;
  }
  return data.length === 2 + tailAt ? args : undefined;
}
