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
      campaignId: event.args.campaignId,
      id: event.id,
      blockNumber: event.block.number,
      blockHash: event.block.hash,
      blockTimestamp: event.block.timestamp,
      transactionHash: event.transaction.hash,
      logIndex: event.log.logIndex,
      name,
      args: encodeArgs(inputs, event.args),
      calldataEnd: name === 'SaleRecorded' ? calldataEndOf(event.transaction, event.log) : null,
    });
  });
}
