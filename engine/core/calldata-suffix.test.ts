import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Attribution } from 'ox/erc8021';
import { concat, type Hex, numberToHex, stringToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { attachedCodes, MAX_CODE_LENGTH, MAX_CODES, withAttachedCodes } from './calldata-suffix.ts';
import type { Hex as LowerHex } from './events.ts';
import { toHex } from './hex-bytes.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../test/vectors/erc8021.json', import.meta.url), 'utf8'),
);

const MARKER: Hex = '0x80218021802180218021802180218021';

/** Calldata that ends with a suffix of a schema. */
function suffixed(schema: number, ...parts: readonly Hex[]): LowerHex {
  return concat(['0xdddddddd', ...parts, numberToHex(schema, { size: 1 }), MARKER]);
}

const asText = stringToHex;

function byteOf(value: number): Hex {
  return numberToHex(value, { size: 1 });
}

/** Calldata of schema 0 with a list of codes as it is. */
function listed(codes: string): LowerHex {
  return suffixed(0, asText(codes), byteOf(codes.length));
}

/** Calldata of schema 2 with these bytes of CBOR. */
function cbor(...parts: readonly Hex[]): LowerHex {
  const map = concat(parts);
  return suffixed(2, map, numberToHex(map.length / 2 - 1, { size: 2 }));
}

const codeText = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 1, maxLength: 12 })
  .map((codes) => String.fromCharCode(...codes).replaceAll(',', '.'));
const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map(toHex);
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toHex);
const registry = fc.record({ chainId: fc.integer({ min: 1, max: 2 ** 48 - 1 }), address });

describe('attachedCodes', () => {
  it.each<{ name: string; input: LowerHex; codes: unknown }>(vectors.cases)(
    'reads the test case of the ERC: $name',
    ({ input, codes }) => {
      expect(attachedCodes(input)).toEqual(codes);
    },
  );

  it('reads what it appends, and leaves the calldata before it as it was', () => {
    const codes = fc.array(codeText, { minLength: 1, maxLength: MAX_CODES });
    fc.assert(
      fc.property(bytes(300), codes, (calldata, given) => {
        const data = withAttachedCodes(calldata, given);
        expect(data.startsWith(calldata)).toBe(true);
        const attached = given.map((code) => ({ code, role: null, registry: null }));
        expect(attachedCodes(data)).toEqual(attached);
        expect(Attribution.fromData(data)).toEqual({ id: 0, codes: given });
      }),
    );
  });

  it('reads what another implementation writes, of schema 1', () => {
    const codes = fc.array(codeText, { minLength: 1, maxLength: MAX_CODES });
    fc.assert(
      fc.property(bytes(100), codes, registry, (calldata, given, codeRegistry) => {
        const suffix = Attribution.toDataSuffix({ codes: given, codeRegistry });
        const attached = given.map((code) => ({ code, role: null, registry: codeRegistry }));
        expect(attachedCodes(concat([calldata, suffix]))).toEqual(attached);
      }),
    );
  });

  it('reads what another implementation writes, of schema 2', () => {
    const written = fc.record({
      appCode: codeText,
      walletCode: fc.option(codeText, { nil: undefined }),
      serviceCodes: fc.array(codeText, { maxLength: 3 }),
      registries: fc.option(fc.record({ app: registry }), { nil: undefined }),
      metadata: fc.record({ n: fc.nat(), list: fc.array(fc.boolean(), { maxLength: 3 }) }),
    });
    fc.assert(
      fc.property(bytes(100), written, (calldata, given) => {
        const data = concat([calldata, Attribution.toDataSuffix(given)]);
        const { appCode, walletCode, serviceCodes, registries } = given;
        expect(attachedCodes(data)).toEqual([
          { code: appCode, role: 'app', registry: registries?.app ?? null },
          ...(walletCode === undefined
            ? []
            : [{ code: walletCode, role: 'wallet', registry: null }]),
          ...serviceCodes.map((code) => ({ code, role: 'service', registry: null })),
        ]);
      }),
    );
  });

  it('shows only printable ASCII of random bytes before the marker, and throws for none', () => {
    const schema = fc.integer({ min: 0, max: 3 });
    const mapStart = fc.constantFrom<Hex>('0x', '0xa161', '0xa1616163', '0xa26161', '0xa16173');
    fc.assert(
      fc.property(mapStart, bytes(40), schema, fc.boolean(), (start, rest, id, sized) => {
        const data = concat([start, rest]);
        const size = data.length / 2 - 1;
        const length = id === 2 ? numberToHex(size, { size: 2 }) : byteOf(size);
        for (const { code } of attachedCodes(suffixed(id, data, sized ? length : '0x'))) {
          expect(code).toMatch(/^[!-~]{1,64}$/);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, LowerHex]>([
    ['no suffix', '0xdddddddd'],
    ['no calldata', '0x'],
    ['no hex digits', '0xzz' as LowerHex],
    ['the marker alone', MARKER],
    ['a marker that is not the last 16 bytes', concat([listed('baseapp'), '0x00'])],
    ['no code', listed('')],
    ['an empty code', listed('baseapp,')],
    ['a space', listed('base app')],
    ['a control character', listed('base\u0007')],
    ['a byte above ASCII', suffixed(0, '0xc3a9', byteOf(2))],
    ['a code of 65 characters', listed('a'.repeat(MAX_CODE_LENGTH + 1))],
    [
      '17 codes',
      listed(
        Array(MAX_CODES + 1)
          .fill('a')
          .join(),
      ),
    ],
    ['a list longer than the calldata', suffixed(0, asText('a'), byteOf(200))],
    ['no registry', concat([asText('a'), byteOf(1), byteOf(1), MARKER])],
    ['a chain id of no bytes', suffixed(1, `0x${'cc'.repeat(20)}`, '0x00', asText('a'), byteOf(1))],
    [
      'a chain id of 7 bytes',
      suffixed(1, `0x${'cc'.repeat(20)}`, `0x${'01'.repeat(7)}`, '0x07', asText('a'), byteOf(1)),
    ],
    ['a list instead of a map', cbor('0x8161', asText('a'))],
    ['a number for a code', cbor('0xa1616105')],
    ['a key twice', cbor('0xa2', '0x61616161', '0x61616162')],
    ['a number for a key', cbor('0xa2', '0x61616161', '0x0561', asText('b'))],
    ['bytes after the map', cbor('0xa1', '0x61616161', '0x00')],
    ['a map of unknown length', cbor('0xbf', '0x61616161', '0xff')],
    ['a tag', cbor('0xa1', '0x6161', '0xc06161')],
    ['a text that is no UTF-8', cbor('0xa1', '0x6161', '0x61ff')],
    ['a text for the services', cbor('0xa1', '0x6173', '0x6161')],
    ['services that nest', cbor('0xa2', '0x61616161', '0x616d', `0x${'81'.repeat(6)}00`)],
    ['a list that claims 2^32 items', cbor('0xa1', '0x6173', '0x9affffffff')],
    ['a list that claims 2^64 items', cbor('0xa1', '0x6173', '0x9bffffffffffffffff')],
    [
      'a registry that is no address',
      cbor('0xa2', '0x61616161', '0x6172a16161a261636330783161616130'),
    ],
    [
      'a suffix of more than 512 bytes',
      cbor('0xa2', '0x61616161', '0x616d7901f4', `0x${'61'.repeat(500)}`),
    ],
  ])('refuses a suffix with %s', (_, calldata) => {
    expect(attachedCodes(calldata)).toEqual([]);
  });
});

describe('withAttachedCodes', () => {
  it.each<[string, readonly string[]]>([
    ['no code', []],
    ['an empty code', ['']],
    ['a comma', ['a,b']],
    ['a letter above ASCII', ['é']],
    ['17 codes', Array(MAX_CODES + 1).fill('a')],
    ['more than 255 bytes', Array(5).fill('a'.repeat(60))],
  ])('throws for %s', (_, codes) => {
    expect(() => withAttachedCodes('0xdddddddd', codes)).toThrow(RangeError);
  });

  it.each(['', 'dddddddd', '0xddd', '0xzz', 'data'])(
    'throws for "%s", which is no calldata',
    (text) => {
      expect(() => withAttachedCodes(text, ['shop'])).toThrow(RangeError);
    },
  );
});
