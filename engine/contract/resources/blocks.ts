import { z } from 'zod';
import { get, resource } from '../define.ts';
import { DigestPage } from '../shapes/digest.ts';
import { LedgerEvent } from '../shapes/ledger-event.ts';
import {
  AtBlock,
  BlockNumber,
  Count,
  Finality,
  Hash32,
  pageOf,
  pageQuery,
  Timestamp,
} from '../values.ts';

const { root, leftOut, campaigns } = DigestPage.shape;

const BlockRecord = pageOf(LedgerEvent).extend({
  number: BlockNumber,
  hash: Hash32,
  timestamp: Timestamp,
  finality: Finality.describe('Finality of the block.'),
  events: Count.describe('Events of this contract in the block; items has them a page at a time.'),
  root: root.describe('Digest of the ledger after the block (system.digest has proofs).'),
  campaigns,
  leftOut,
});

/** Methods for blocks of the chain. */
export const blocks = resource('blocks', {
  about: 'Blocks of the chain, with their events and the digest after them.',
  caller: 'public',
  documentedName: null,
})({
  get: get('/v1/blocks/:number', {
    serving: { long: true },
    summary: 'A settled block: its hash, time and finality, its events, and the digest after it.',
    input: {
      params: z.strictObject({
        number: AtBlock.describe('Height, at most that of the settled block.'),
      }),
      query: z.strictObject(pageQuery),
    },
    output: BlockRecord,
  }),
});
