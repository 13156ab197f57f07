import { describe, expect, it } from 'vitest';
import type { Address } from '../../core/events.ts';
import type { LedgerChange, PublishedEvent } from '../../db/read/system/changes.ts';
import { entryOf, filteredText, idOf, readId } from './message.ts';

const OWNER: Address = `0x${'1'.repeat(40)}`;
const BUYER: Address = `0x${'2'.repeat(40)}`;

function event(seq: number, accounts: readonly Address[]): PublishedEvent {
  return {
    seq,
    name: 'SaleRecorded',
    saleId: String(seq),
    amount: null,
    accounts,
    blockNumber: 100 + seq,
    blockHash: '0x01',
    blockTimestamp: 1_700_000_000 + seq,
    transactionHash: '0x02',
    logIndex: 0,
  };
}

const settled: LedgerChange = {
  sequence: 9,
  campaignId: '1',
  kind: 'settled',
  events: [event(1, [OWNER]), event(2, [OWNER, BUYER]), event(3, [])],
};
const all = { campaigns: undefined, accounts: undefined };

function seqsIn(text: string): number[] {
  return [...text.matchAll(/"seq":(\d+)/g)].map(([, seq]) => Number(seq));
}

describe('a message', () => {
  it('names its sequence number, its ledger and its event, and is one line of data', () => {
    const { text } = entryOf('0a1b2c3d', settled);
    expect(text).toMatch(/^id: 0a1b2c3d-9\nevent: settled\ndata: \{.*\}\n\n$/);
    expect(text).toContain('"fromSeq":1,"toSeq":3,"block":{"number":"103"');
  });

  it('contains for each reader the events of its filter, and nothing for other readers', () => {
    const entry = entryOf('0a1b2c3d', settled);
    const accounts = (...list: Address[]) =>
      filteredText('0a1b2c3d', entry, { ...all, accounts: new Set(list) });
    expect(filteredText('0a1b2c3d', entry, all)).toBe(entry.text);
    expect(seqsIn(accounts(BUYER))).toEqual([2]);
    expect(accounts(BUYER)).toContain('"fromSeq":2,"toSeq":2,"block":{"number":"102"');
    expect(seqsIn(accounts(OWNER, BUYER))).toEqual([1, 2]);
    expect(accounts(`0x${'3'.repeat(40)}`)).toBe('');
    expect(filteredText('0a1b2c3d', entry, { ...all, campaigns: new Set(['2']) })).toBe('');
  });

  it('sends a retraction to every reader of the campaign', () => {
    const entry = entryOf('0a1b2c3d', {
      sequence: 10,
      campaignId: '1',
      kind: 'retracted',
      afterSeq: 1,
    });
    expect(filteredText('0a1b2c3d', entry, { ...all, accounts: new Set([BUYER]) })).toBe(
      entry.text,
    );
    expect(entry.text).toContain('"afterSeq":1');
  });

  it('becomes empty if none of its events exist any more', () => {
    const change: LedgerChange = { sequence: 9, campaignId: '1', kind: 'settled', events: [] };
    expect(entryOf('0a1b2c3d', change).text).toBe('');
  });

  it.each(['', '9', '0a1b2c3d', '0A1B2C3D-9', '0a1b2c3d-09', '0a1b2c3d--1', '0a1b2c3d-9 '])(
    'rejects the id "%s"',
    (text) => {
      expect(readId(text)).toBeUndefined();
    },
  );

  it('reads back the id of a message', () => {
    expect(readId(idOf('0a1b2c3d', 12))).toEqual({ epoch: '0a1b2c3d', sequence: 12 });
  });
});
