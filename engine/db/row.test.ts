import { describe, expect, it } from 'vitest';
import {
  amount,
  hex,
  id,
  integer,
  listDecoder,
  nullable,
  optional,
  rowCodec,
  text,
  type View,
} from './row.ts';

const codec = rowCodec({
  saleId: id,
  amount,
  note: nullable(text),
  record: { hash: hex.from('transaction_hash'), blockNumber: integer },
  profile: optional({ handle: text, followers: integer }),
});

const stored = {
  sale_id: '9223372036854775807',
  amount: String(2n ** 256n - 1n),
  note: null,
  transaction_hash: '0xab',
  block_number: '7',
  handle: 'maria',
  followers: '3',
};

const sale: View<typeof codec> = {
  saleId: '9223372036854775807',
  amount: 2n ** 256n - 1n,
  note: null,
  record: { hash: '0xab', blockNumber: 7 },
  profile: { handle: 'maria', followers: 3 },
};

describe('a row codec', () => {
  it('decodes columns and groups of columns by the names of their fields', () => {
    expect(codec.decode(stored)).toEqual(sale);
  });

  it('decodes an optional group to null if its first column is null', () => {
    expect(codec.decode({ ...stored, handle: null, followers: null }).profile).toBeNull();
  });

  it('encodes what it decodes to a row with the same columns', () => {
    const row = codec.encode(codec.decode(stored));
    expect(Object.keys(row)).toEqual(codec.names);
    expect(row).toEqual({ ...stored, amount: sale.amount, block_number: 7, followers: 3 });
    expect(codec.encode({ ...sale, profile: null })).toMatchObject({
      handle: null,
      followers: null,
    });
  });

  it('sends every integer that can exceed 53 bits as text through JSON', () => {
    expect(codec.kinds).toMatchObject({ sale_id: 'text', amount: 'text', note: 'is' });
  });

  it('names the column that is missing, or null without being nullable', () => {
    expect(() => codec.decode({ ...stored, amount: null })).toThrow('column amount is null');
    const { note: _note, ...without } = stored;
    expect(() => codec.decode(without)).toThrow('column note is missing');
  });

  it('decodes a list of its columns in the order of the declaration', () => {
    const decodeList = listDecoder(codec);
    const list = codec.names.map((name) => stored[name as keyof typeof stored]);
    expect(decodeList(list)).toEqual(sale);
    expect(decodeList([...list.slice(0, -2), null, null]).profile).toBeNull();
    expect(() => decodeList(list.with(1, null))).toThrow('column amount is null');
    expect(() => decodeList(list.slice(0, -1))).toThrow('column followers is missing');
  });

  it('refuses a count that a floating-point number cannot hold', () => {
    expect(() => codec.decode({ ...stored, block_number: '9007199254740993' })).toThrow(RangeError);
  });
});
