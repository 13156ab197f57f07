import type { PublicClient, TransactionReceipt } from 'viem';
import { type Answer, answered, ask } from './answer.ts';
import { findClaims, findCreation, findNeighbours, findPolicies } from './campaign-events.ts';
import { type ChainLog, logsOf } from './decode.ts';
import type { Ledger } from './ledger.ts';
import { findPath, type NodeLogs } from './path.ts';
import { type BlockHeader, type Reading, readHeader } from './reading.ts';
import { readLedger, readSale, type SaleView } from './views.ts';

/** All that the chain says of one sale. Each answer that is missing has its reason. */
export interface ChainFacts {
  readonly record: ChainLog<'SaleRecorded'>;
  /** Every event of the sale, oldest first. */
  readonly events: readonly ChainLog[];
  readonly receipt: Answer<TransactionReceipt>;
  /** The block at the sale's height. */
  readonly block: Answer<BlockHeader>;
  /** The campaign's CampaignCreated; `undefined` if there is none up to the sale's block. */
  readonly created: Answer<ChainLog<'CampaignCreated'> | undefined>;
  /** The campaign's policies that were scheduled up to the sale's block. */
  readonly policies: Answer<readonly ChainLog<'PolicyScheduled'>[]>;
  /** NodeJoined logs by node: those of the path at least. */
  readonly nodes: Answer<NodeLogs>;
  /** The campaign's events in the sale's block. */
  readonly neighbours: Answer<readonly ChainLog[]>;
  /** The campaign's ledgers as of the block before the sale's, and as of the sale's. */
  readonly ledgerBefore: Answer<Ledger>;
  readonly ledgerAfter: Answer<Ledger>;
  /** Unix seconds of the events that closed the sale; `null` where there is none. */
  readonly finalizedAt: Answer<number | null>;
  readonly reversedAt: Answer<number | null>;
  /** What the sale's recipients claimed from its finalization to its reversal. */
  readonly claims: Answer<readonly ChainLog<'RewardsClaimed'>[]>;
  readonly view: Answer<SaleView>;
}

/** Asks everything that follows from the sale's events, all at once; a long path may take more. */
export async function readFacts(
  reading: Reading,
  record: ChainLog<'SaleRecorded'>,
  events: readonly ChainLog[],
): Promise<ChainFacts> {
  const { client, saleId } = reading;
  const { transactionHash } = record.place;
  const height = BigInt(record.place.blockNumber);
  const policies = ask('The campaign’s policies', findPolicies(reading, record));
  const asked = {
    receipt: ask(
      `The receipt of transaction ${transactionHash}`,
      client.getTransactionReceipt({ hash: transactionHash }),
    ),
    block: ask(`Block ${height}`, readHeader(client, height)),
    created: ask('The campaign’s creation', findCreation(reading, record)),
    nodes: ask('The path’s nodes', findPath(reading, record, events, policies)),
    neighbours: ask(`The campaign’s events in block ${height}`, findNeighbours(reading, record)),
    ledgerBefore: askLedger(reading, record.campaignId, height - 1n),
    ledgerAfter: askLedger(reading, record.campaignId, height),
    finalizedAt: askTime(client, logsOf(events, 'SaleFinalized')[0]),
    reversedAt: askTime(client, logsOf(events, 'SaleReversed')[0]),
    claims: ask('The claims before the reversal', findClaims(reading, record, events)),
    view: ask(`The contract’s own view of sale ${saleId}`, readSale(reading)),
  };
  // None of them rejects, and all were sent already.
  return {
    record,
    events,
    receipt: await asked.receipt,
    block: await asked.block,
    created: await asked.created,
    policies: await policies,
    nodes: await asked.nodes,
    neighbours: await asked.neighbours,
    ledgerBefore: await asked.ledgerBefore,
    ledgerAfter: await asked.ledgerAfter,
    finalizedAt: await asked.finalizedAt,
    reversedAt: await asked.reversedAt,
    claims: await asked.claims,
    view: await asked.view,
  };
}

function askLedger(reading: Reading, campaignId: string, height: bigint): Promise<Answer<Ledger>> {
  return ask(
    `The campaign’s ledger at block ${height}, which takes an RPC that keeps old states,`,
    readLedger(reading, campaignId, height),
  );
}

/** The time of an event's block, by its number, where that is still the event's block. */
async function askTime(
  client: PublicClient,
  log: ChainLog | undefined,
): Promise<Answer<number | null>> {
  if (log === undefined) return answered(null);
  const { blockNumber, blockHash } = log.place;
  const header = await ask(`Block ${blockNumber}`, readHeader(client, BigInt(blockNumber)));
  if (!header.ok) return header;
  if (header.value.hash.toLowerCase() === blockHash.toLowerCase()) {
    return answered(header.value.timestamp);
  }
  return { ok: false, reason: `Block ${blockNumber} was replaced while it was read: try again.` };
}
