import type { EventName } from '../../core/events.ts';
import { type DecodedLog, decodeLogs, logsOf } from './decode.ts';
import type { ReadContext } from './reading.ts';
import { type BlockRange, findLogs } from './search.ts';
import { selectorOf, topicOf } from './topics.ts';

/** The events that name a sale; `saleId` is the first topic of all. */
const saleEvents = [
  'SaleAttested',
  'SaleRecorded',
  'RewardReleased',
  'SaleRefunded',
  'RewardVested',
  'SaleFinalized',
  'RewardReversed',
  'SaleReversed',
] as const satisfies readonly EventName[];

/** Contract and blocks in which to search for a sale's events. */
interface SaleSearch extends Omit<ReadContext, 'head' | 'newest' | 'nodeHints'> {
  readonly lastBlock: bigint;
}

/**
 * Finds every event of a sale, oldest first. It searches from the hint on, and before it only if the hint
 * was after the SaleRecorded.
 */
export async function findSaleEvents(search: SaleSearch): Promise<DecodedLog[]> {
  const { fromBlock, lastBlock, blockHint } = search;
  const hinted = blockHint !== undefined && blockHint > fromBlock && blockHint <= lastBlock;
  const start = hinted ? blockHint : fromBlock;
  const newer = await saleEventsIn(search, { from: start, to: lastBlock });
  if (!hinted || logsOf(newer, 'SaleRecorded').length > 0) return newer;
  return [...(await saleEventsIn(search, { from: fromBlock, to: start - 1n })), ...newer];
}

/**
 * Finds every event of a sale in blocks before its SaleRecorded: a contract that follows the rules has none. The
 * hint, which comes from the receipt, must not hide them.
 */
export async function findEarlierEvents(
  reading: ReadContext,
  { location }: DecodedLog<'SaleRecorded'>,
): Promise<DecodedLog[]> {
  const range = { from: reading.fromBlock, to: BigInt(location.blockNumber) - 1n };
  return await saleEventsIn(reading, range);
}

/** Finds every event of a sale after the block that is read, oldest first. */
export async function findLaterEvents(reading: ReadContext): Promise<DecodedLog[]> {
  const { head, newest } = reading;
  return await saleEventsIn(reading, { from: head.number + 1n, to: newest.number });
}

async function saleEventsIn(
  { client, contractAddress, saleId }: Pick<ReadContext, 'client' | 'contractAddress' | 'saleId'>,
  range: BlockRange,
): Promise<DecodedLog[]> {
  const topics = [saleEvents.map(selectorOf), topicOf(saleId)];
  const logs = await findLogs(client, contractAddress, topics, range);
  return decodeLogs(logs, contractAddress).filter(
    (log) => 'saleId' in log.args && log.args.saleId === saleId,
  );
}
