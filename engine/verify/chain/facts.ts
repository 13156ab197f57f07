import type { PublicClient, Transaction, TransactionReceipt } from 'viem';
import { answered, ask, type ChainAnswer } from './answer.ts';
import {
  findClaims,
  findCreation,
  findNeighbours,
  findPermissions,
  findPolicies,
} from './campaign-events.ts';
import { byLocation, type DecodedLog, logsOf } from './decode.ts';
import type { Ledger } from './ledger.ts';
import { findPath, type NodeLogs } from './path.ts';
import { type BlockHeader, type ReadContext, readHeader } from './reading.ts';
import { findEarlierEvents, findLaterEvents } from './sale-events.ts';
import { type ContractSale, readLedger, readSale } from './views.ts';

/** Everything that the chain has on one sale. A missing answer has a reason. */
export interface ChainFacts {
  readonly record: DecodedLog<'SaleRecorded'>;
  /** Every event of the sale, oldest first. */
  readonly events: readonly DecodedLog[];
  /** Events of the sale in blocks before its SaleRecorded, oldest first; `events` may lack them. */
  readonly earlier: ChainAnswer<readonly DecodedLog[]>;
  readonly receipt: ChainAnswer<TransactionReceipt>;
  /** The sale's transaction: what it calls, and with which calldata. */
  readonly transaction: ChainAnswer<Pick<Transaction, 'to' | 'input'>>;
  /** The block at the sale's height. */
  readonly block: ChainAnswer<BlockHeader>;
  /** The campaign's CampaignCreated; `undefined` if there is none before the sale. */
  readonly created: ChainAnswer<DecodedLog<'CampaignCreated'> | undefined>;
  /** The campaign's policies that were scheduled up to the sale's block. */
  readonly policies: ChainAnswer<readonly DecodedLog<'PolicyScheduled'>[]>;
  /** Permissions that the campaign gave the attester of the sale up to the block of the sale, oldest first. */
  readonly permissions: ChainAnswer<readonly DecodedLog<'AttesterAllowed'>[]>;
  /** NodeJoined logs by node: those of the path at least. */
  readonly nodes: ChainAnswer<NodeLogs>;
  /** The campaign's events in the sale's block. */
  readonly neighbours: ChainAnswer<readonly DecodedLog[]>;
  /** The campaign's ledgers as of the block before the sale's, and as of the sale's. */
  readonly ledgerBefore: ChainAnswer<Ledger>;
  readonly ledgerAfter: ChainAnswer<Ledger>;
  /** Unix seconds of the events that closed the sale; `null` if there are none. */
  readonly finalizedAt: ChainAnswer<number | null>;
  readonly reversedAt: ChainAnswer<number | null>;
  /** Claims of the sale's recipients from its finalization to the block read, oldest first. */
  readonly claims: ChainAnswer<Claims>;
  /** The sale's events after the block read, and first claims of its rewards since then, oldest first. */
  readonly later: ChainAnswer<readonly DecodedLog[]>;
  readonly view: ChainAnswer<ContractSale>;
}

type Claims = readonly DecodedLog<'RewardsClaimed'>[];

/** Reads everything that verification needs on a sale, concurrently; a long path may take more rounds. */
export async function readFacts(
  reading: ReadContext,
  record: DecodedLog<'SaleRecorded'>,
  events: readonly DecodedLog[],
): Promise<ChainFacts> {
  const { client, saleId } = reading;
  const { transactionHash } = record.location;
  const height = BigInt(record.location.blockNumber);
  const policies = ask('The campaign’s policies', findPolicies(reading, record));
  const claims = ask('The claims of the sale’s rewards', findClaims(reading, record, events));
  const requests = {
    earlier: ask('The events before the sale', findEarlierEvents(reading, record)),
    receipt: ask(
      `The receipt of transaction ${transactionHash}`,
      client.getTransactionReceipt({ hash: transactionHash }),
    ),
    transaction: ask(
      `Transaction ${transactionHash}`,
      client.getTransaction({ hash: transactionHash }),
    ),
    block: ask(`Block ${height}`, readHeader(client, height)),
    created: ask('The campaign’s creation', findCreation(reading, record)),
    permissions: ask('The permissions of the attester', findPermissions(reading, record, events)),
    nodes: ask('The path’s nodes', findPath(reading, record, events, policies)),
    neighbours: ask(`The campaign’s events in block ${height}`, findNeighbours(reading, record)),
    ledgerBefore: requestLedger(reading, record.campaignId, height - 1n),
    ledgerAfter: requestLedger(reading, record.campaignId, height),
    finalizedAt: requestTime(client, logsOf(events, 'SaleFinalized')[0]),
    reversedAt: requestTime(client, logsOf(events, 'SaleReversed')[0]),
    later: ask('The later events of the sale', findLaterEvents(reading)),
    view: ask(`The contract’s own view of sale ${saleId}`, readSale(reading)),
  };
  // None of them rejects, and all have been sent.
  return {
    record,
    events,
    earlier: await requests.earlier,
    receipt: await requests.receipt,
    transaction: await requests.transaction,
    block: await requests.block,
    created: await requests.created,
    policies: await policies,
    permissions: await requests.permissions,
    nodes: await requests.nodes,
    neighbours: await requests.neighbours,
    ledgerBefore: await requests.ledgerBefore,
    ledgerAfter: await requests.ledgerAfter,
    finalizedAt: await requests.finalizedAt,
    reversedAt: await requests.reversedAt,
    ...byTime(reading, events, await claims, await requests.later),
    view: await requests.view,
  };
}

/** Divides the claims into those until the block read and those after it. */
function byTime(
  { head }: ReadContext,
  events: readonly DecodedLog[],
  claims: ChainAnswer<Claims>,
  later: ChainAnswer<readonly DecodedLog[]>,
): Pick<ChainFacts, 'claims' | 'later'> {
  if (!claims.ok) return { claims, later: later.ok ? claims : later };
  const isLater = ({ location }: DecodedLog) => BigInt(location.blockNumber) > head.number;
  const known = claims.value.filter((log) => !isLater(log));
  if (!later.ok) return { claims: answered(known), later };
  // After a reversal nothing of the sale is left to claim.
  const isReversed = logsOf(events, 'SaleReversed').length > 0;
  const first = isReversed ? [] : firstClaims(events, claims.value).filter(isLater);
  return {
    claims: answered(known),
    later: answered([...later.value, ...first].sort(byLocation)),
  };
}

/**
 * The first claim of the recipient after each vesting, oldest first: it paid the level's reward, and a
 * later reversal does not reverse that level.
 */
export function firstClaims(events: readonly DecodedLog[], claims: Claims): Claims {
  const first = logsOf(events, 'RewardVested').flatMap(
    (vested) =>
      claims.find(
        (claim) => claim.args.account === vested.args.recipient && byLocation(claim, vested) > 0,
      ) ?? [],
  );
  return [...new Set(first)].sort(byLocation);
}

function requestLedger(
  reading: ReadContext,
  campaignId: string,
  height: bigint,
): Promise<ChainAnswer<Ledger>> {
  return ask(
    `The campaign’s ledger at block ${height}, which takes an RPC that keeps old states,`,
    readLedger(reading, campaignId, height),
  );
}

/** Unix seconds of an event's block, read by its number; unavailable if a reorg replaced the block. */
async function requestTime(
  client: PublicClient,
  log: DecodedLog | undefined,
): Promise<ChainAnswer<number | null>> {
  if (log === undefined) return answered(null);
  const { blockNumber, blockHash } = log.location;
  const header = await ask(`Block ${blockNumber}`, readHeader(client, BigInt(blockNumber)));
  if (!header.ok) return header;
  if (header.value.hash.toLowerCase() === blockHash.toLowerCase()) {
    return answered(header.value.timestamp);
  }
  return { ok: false, reason: `Block ${blockNumber} was replaced while it was read: try again.` };
}
