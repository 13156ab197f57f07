import { ponder } from 'ponder:registry';
import { chainEvent } from 'ponder:schema';
import { calldataEndOf } from './calldata.ts';
import { encodeArgs } from './encode.ts';
import { feedEvents } from './events.ts';

// Every event becomes a row, by one handler: settlement decides what it means. Finalized events become
// the same rows by `history/load.ts`, except `calldataEnd`.
for (const { name, inputs } of feedEvents) {
  ponder.on(`ReferralCommerce:${name}`, async ({ event, context }) => {
    await context.db.insert(chainEvent).values({
      blockNumber: event.block.number,
      blockTimestamp: event.block.timestamp,
      transactionIndex: event.transaction.transactionIndex,
      logIndex: event.log.logIndex,
      campaignId: event.args.campaignId,
      blockHash: event.block.hash,
      transactionHash: event.transaction.hash,
      name,
      args: encodeArgs(inputs, event.args),
      calldataEnd: name === 'SaleRecorded' ? calldataEndOf(event.transaction, event.log) : null,
    });
  });
}
