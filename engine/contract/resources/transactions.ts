import { z } from 'zod';
import { get, resource } from '../define.ts';
import { TxRef } from '../shapes/common.ts';
import { LedgerEvent } from '../shapes/ledger-event.ts';
import { BlockNumber, Finality, Hash32, pageOf, pageQuery, Timestamp } from '../values.ts';

const TransactionRecord = pageOf(LedgerEvent).extend({
  hash: Hash32,
  status: z
    .enum(['settled', 'included', 'reverted', 'unrelated', 'pending'])
    .describe(
      'settled: the items are its events. included: a block has it, and the ledger does not yet. reverted: it failed. unrelated: no event of this contract. pending: no block has it yet.',
    ),
  blockNumber: BlockNumber.nullable().describe('null while no block has it.'),
  at: Timestamp.nullable().describe('Time of its block; null unless it is settled.'),
  explorerUrl: TxRef.shape.explorerUrl,
  finality: Finality.describe('Finality of its block.'),
});

/** Methods for transactions on the chain. */
export const transactions = resource('transactions', {
  about: 'What transactions did in the contract.',
  caller: 'public',
  documentedName: null,
})({
  get: get('/v1/transactions/:hash', {
    summary: 'What a transaction did in this contract, or that it is not settled yet.',
    input: {
      params: z.strictObject({ hash: Hash32.describe('Hash of the transaction.') }),
      query: z.strictObject(pageQuery),
    },
    output: TransactionRecord,
  }),
});
