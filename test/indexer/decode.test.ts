import fc from 'fast-check';
import {
  type AbiEvent,
  type AbiParameter,
  bytesToHex,
  decodeEventLog,
  encodeAbiParameters,
  type Hex,
  toEventSelector,
} from 'viem';
import { describe, expect, it } from 'vitest';
import { encodeArgs } from '../../src/encode.ts';
import { feedEvents } from '../../src/events.ts';
import { decodeEvent } from '../../src/history/decode.ts';

/** Values of a parameter, from the smallest to the largest. */
function valuesOf(parameter: AbiParameter): fc.Arbitrary<unknown> {
  const { type } = parameter;
  if (type.endsWith('[]')) {
    return fc.array(valuesOf({ ...parameter, type: type.slice(0, -2) }), { maxLength: 5 });
  }
  if ('components' in parameter) {
    const fields = parameter.components.map((one) => [one.name ?? '', valuesOf(one)] as const);
    return fc.record(Object.fromEntries(fields));
  }
  const hex = (bytes: number) =>
    fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => bytesToHex(value));
  if (type === 'bool') return fc.boolean();
  if (type === 'string') return fc.string({ unit: 'binary' });
  if (type === 'address') return hex(20);
  const size = Number(/\d+$/.exec(type)?.[0]);
  if (type.startsWith('bytes')) return hex(size);
  const max = 2n ** BigInt(size) - 1n;
  const some = fc.oneof(fc.bigInt({ min: 0n, max }), fc.constantFrom(0n, 1n, max));
  return size > 48 ? some : some.map(Number);
}

function logOf(event: AbiEvent, values: readonly unknown[]) {
  const pairs = event.inputs.map((input, i) => ({ input, value: values[i] }));
  const plain = pairs.filter(({ input }) => input.indexed !== true);
  const topics = pairs
    .filter(({ input }) => input.indexed === true)
    .map(({ input, value }) => encodeAbiParameters([input], [value]));
  return {
    topics: [toEventSelector(event), ...topics] as [Hex, ...Hex[]],
    data: encodeAbiParameters(
      plain.map(({ input }) => input),
      plain.map(({ value }) => value),
    ),
  };
}

/** The arguments as the handler in `src/index.ts` stores them. */
function byHandler(event: AbiEvent, log: { topics: [Hex, ...Hex[]]; data: Hex }) {
  const { args = {} } = decodeEventLog({ abi: [event], ...log });
  return encodeArgs(event.inputs, args as Record<string, unknown>);
}

describe('the decoder of loaded history', () => {
  it.each(feedEvents.map((event) => [event.name, event] as const))(
    'reads the arguments of %s that the handler stores, in the same order',
    (_name, event) => {
      fc.assert(
        fc.property(fc.tuple(...event.inputs.map(valuesOf)), (values) => {
          const log = logOf(event, values);
          const { name, args } = decodeEvent(log);
          expect(name).toBe(event.name);
          expect(JSON.stringify(args)).toBe(JSON.stringify(byHandler(event, log)));
        }),
        { numRuns: 50 },
      );
    },
  );

  it.each(feedEvents.map((event) => [event.name, event] as const))(
    'refuses changed or shortened data of %s, or reads them as the handler does',
    (_name, event) => {
      const changes = fc.record({
        at: fc.nat(40),
        word: fc.constantFrom('0'.repeat(64), 'f'.repeat(64), `${'0'.repeat(62)}20`),
        dropped: fc.nat(40),
      });
      fc.assert(
        fc.property(
          fc.tuple(...event.inputs.map(valuesOf)),
          changes,
          (values, { at, word, dropped }) => {
            const { topics, data } = logOf(event, values);
            const changed = `${data.slice(0, 2 + 64 * at)}${word}${data.slice(66 + 64 * at)}`;
            const log = { topics, data: changed.slice(0, changed.length - dropped) as Hex };
            const result = (read: () => unknown) => {
              try {
                return JSON.stringify(read());
              } catch {
                return 'refused';
              }
            };
            const ours = result(() => decodeEvent(log).args);
            // viem's decoder of data, which both use, is stricter about short ones than that of events.
            if (ours !== 'refused') expect(ours).toBe(result(() => byHandler(event, log)));
          },
        ),
        { numRuns: 50 },
      );
    },
  );

  it('refuses a first topic that no event has', () => {
    const topics = [`0x${'11'.repeat(32)}`] as const;
    expect(() => decodeEvent({ topics, data: '0x' })).toThrow('no event of the contract');
  });
});
