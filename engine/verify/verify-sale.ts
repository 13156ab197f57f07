import { isAddress, type PublicClient } from 'viem';
import type { Address, Hex } from '../core/events.ts';
import { MAX_LEVELS } from '../core/fold/index.ts';
import type { ReceiptFields } from '../core/receipt.ts';
import { answered, ask, type ChainAnswer, contractError, notRead } from './chain/answer.ts';
import { logsOf } from './chain/decode.ts';
import { readFacts } from './chain/facts.ts';
import { type BlockHeader, type ReadContext, readHeader } from './chain/reading.ts';
import { findSaleEvents } from './chain/sale-events.ts';
import { readSale } from './chain/views.ts';
import { checkAge } from './checks/age.ts';
import { checkAttribution } from './checks/attribution.ts';
import { checkCampaign } from './checks/campaign.ts';
import { checkPath } from './checks/path.ts';
import { checkPolicy } from './checks/policy.ts';
import { checkRewards } from './checks/rewards.ts';
import { checkSale } from './checks/sale.ts';
import { checkSplit } from './checks/split.ts';
import { checkState } from './checks/state.ts';
import { checkTransaction } from './checks/transaction.ts';
import { checkTransitions } from './checks/transitions.ts';
import { type Comparison, compareReceipt, fieldsOf } from './compare.ts';
import { conclude, type FoundFields, verdictOf } from './conclude.ts';
import { otherSubject } from './other-subject.ts';
import { chainValues, isoTime, knownFields } from './receipt-fields.ts';
import { budgetBefore, type RewardBudget } from './reward-budget.ts';
import { type Subject, subjectOf } from './subject.ts';
import {
  type Check,
  type CheckName,
  checkNames,
  type ReceiptVerdict,
  type Verification,
  type VerifiedBlock,
} from './types.ts';

/** Parameters of `verifySale`. */
export interface VerifySaleParameters {
  /** A client of the chain. A batching transport sends concurrent questions as one request. */
  readonly client: PublicClient;
  readonly contractAddress: Address;
  /** Decimal digits. */
  readonly saleId: string;
  /** The receipt to compare with the chain; without it the chain alone is checked. */
  readonly served?: ReceiptFields | undefined;
  /** The chain that the reader means; an RPC of another one checks nothing. Default: any. */
  readonly chainId?: number | undefined;
  /** The block that deployed the contract: nothing is searched before it. Default: 0. */
  readonly fromBlock?: bigint | undefined;
  /**
   * The block that the receipt is as of: everything is compared as of it, and the check `age` names what
   * happened to the sale since. Default: the newest block, which takes one more round trip.
   */
  readonly atBlock?: bigint | undefined;
  /** Hash of block 0 of the receipt's chain: an RPC of another chain with the same id is recognized by it. */
  readonly genesisHash?: string | undefined;
}

/** Thrown if the sale id or contract address is malformed. */
export class VerifyInputError extends Error {
  override readonly name = 'VerifyInputError';
}

/** A served receipt, as an object; nothing about its fields is known. */
type Served = Readonly<Partial<Record<keyof ReceiptFields, unknown>>> | undefined;

/**
 * Verifies a sale against an RPC (docs/reference/api.md#verifying-a-receipt). It trusts no stored data: the served
 * receipt is only compared with the chain, and at most decides where the search begins. Each field of
 * the receipt is compared, or is in `notCompared` (`receiptCoverage`).
 *
 * An RPC that fails makes a check `unavailable`, never an exception and never a pass; no message
 * holds its URL. An RPC of another chain, and an address that is not the receipt's contract, say nothing
 * about the receipt: the verdict is `unavailable`, and `reason` says why. Without `served`, the checks only
 * compare the chain with the protocol.
 *
 * @throws {VerifyInputError} if the sale id is no uint256 or the address is malformed.
 * @example
 * await verifySale({ client, contractAddress, saleId: '7', served: receipt, fromBlock: 12n })
 */
export async function verifySale(parameters: VerifySaleParameters): Promise<Verification> {
  checkInput(parameters);
  const { client, contractAddress, saleId, fromBlock = 0n, atBlock, genesisHash } = parameters;
  // A receipt that is no object has no fields.
  const served: Served =
    parameters.served === undefined ? undefined : (fieldsOf(parameters.served) ?? {});
  const search = { client, contractAddress, saleId, fromBlock, ...hintsOf(served) };
  const requestEvents = (lastBlock: bigint) =>
    ask(`The events of sale ${saleId}`, findSaleEvents({ ...search, lastBlock }));
  const [chainId, newest, early, receiptBlock, firstBlock] = await Promise.all([
    ask('The chain’s id', client.getChainId()),
    ask('The newest block', readHeader(client)),
    // If the block is given, its events need not wait for its header: one round trip less.
    atBlock === undefined ? undefined : requestEvents(atBlock),
    atBlock === undefined ? undefined : ask(`Block ${atBlock}`, readHeader(client, atBlock)),
    genesisHash === undefined ? undefined : ask('Block 0', firstBlockOf(client, genesisHash)),
  ]);
  const head = receiptBlock ?? newest;
  const read = { saleId, head, newest };
  if (!chainId.ok) return notChecked(read, null, chainId.reason);
  const wrongChain = otherChain(parameters.chainId, chainId.value);
  if (wrongChain !== undefined) return notChecked(read, chainId.value, wrongChain);
  const events = early ?? (head.ok ? await requestEvents(head.value.number) : head);
  const asked = { chainId: chainId.value, contractAddress, genesisHash, firstBlock, events };
  const other = otherSubject(served, asked);
  if (other !== undefined) return notChecked(read, chainId.value, other);
  if (!newest.ok) return notChecked(read, chainId.value, newest.reason);
  const behind = behindReceipt(newest.value, atBlock);
  if (behind !== undefined) return notChecked(read, chainId.value, behind);
  if (!head.ok) return notChecked(read, chainId.value, head.reason);
  if (!events.ok) return notChecked(read, chainId.value, events.reason);

  const reading = { ...search, head: head.value, newest: newest.value };
  const [record] = logsOf(events.value, 'SaleRecorded');
  if (record === undefined) return await saleNotFound(chainId.value, reading);

  const facts = await readFacts(reading, record, events.value);
  const source = { chainId: chainId.value, contractAddress };
  const subject = subjectOf(facts, { ...source, head: head.value, newest: newest.value });
  const budget = budgetBefore(facts);
  const values = chainValues(subject, budget.ok ? budget.value : undefined);
  const compared = served && compareReceipt(values, served);
  return {
    ...answer(read, chainId.value, checksOf(subject, budget, compared)),
    notCompared: compared?.notCompared ?? [],
    facts: knownFields(values),
  };
}

/** All checks, with the fields of the served receipt that differ. */
function checksOf(
  subject: Subject,
  budget: ChainAnswer<RewardBudget>,
  compared: Comparison | undefined,
): Check[] {
  const found = (name: CheckName): FoundFields => ({
    differences: compared?.differences.get(name),
    unread: compared?.unread.get(name),
  });
  return [
    checkTransaction(subject, found('transaction')),
    checkSale(subject, found('sale')),
    checkAttribution(subject, found('attribution')),
    checkCampaign(subject, found('campaign')),
    checkPolicy(subject, found('policy')),
    checkPath(subject, found('path')),
    checkSplit(subject, budget, found('split')),
    checkTransitions(subject, found('transitions')),
    checkState(subject, found('state')),
    checkRewards(subject, found('rewards')),
    checkAge(subject),
  ];
}

/**
 * Hash of block 0, or the given one if the chain has a block of that hash: a service whose RPC has pruned its
 * history names its chain by another old block.
 */
async function firstBlockOf(client: PublicClient, genesisHash: string): Promise<string> {
  const { hash } = await readHeader(client, 0n);
  if (hash.toLowerCase() === genesisHash.toLowerCase()) return hash;
  const params: [Hex, false] = [genesisHash as Hex, false];
  const named = await client.request({ method: 'eth_getBlockByHash', params });
  return named === null ? hash : genesisHash;
}

/** The blocks that were read, for the result. */
interface BlocksRead {
  readonly saleId: string;
  readonly head: ChainAnswer<BlockHeader>;
  readonly newest: ChainAnswer<BlockHeader>;
}

function otherChain(meant: number | undefined, chainId: number): string | undefined {
  if (meant === undefined || meant === chainId) return undefined;
  return `The RPC is of chain ${chainId}, not of chain ${meant}.`;
}

/** An RPC that has not reached the receipt's block cannot say what happened until then. */
function behindReceipt(newest: BlockHeader, atBlock: bigint | undefined): string | undefined {
  if (atBlock === undefined || newest.number >= atBlock) return undefined;
  return `The receipt is as of block ${atBlock}, and the RPC’s newest block is ${newest.number} (${isoTime(newest.timestamp)}): the RPC is behind, or the receipt names a block that does not exist.`;
}

const ID = /^(0|[1-9][0-9]{0,77})$/;

function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value) && BigInt(value) < 1n << 256n;
}

function checkInput({ saleId, contractAddress }: VerifySaleParameters): void {
  if (!isId(saleId)) {
    throw new VerifyInputError(
      `"${saleId}" is no sale id: give decimal digits, without zeros in front.`,
    );
  }
  if (!isAddress(contractAddress, { strict: false })) {
    throw new VerifyInputError(`"${contractAddress}" is no address: give 0x and 40 hex digits.`);
  }
}

/** Hints from the receipt about where to search; invalid ones are ignored. */
function hintsOf(receipt: Served): Pick<ReadContext, 'blockHint' | 'nodeHints'> {
  const block = fieldsOf(receipt?.record)?.blockNumber;
  const path: readonly unknown[] = Array.isArray(receipt?.path) ? receipt.path : [];
  const nodes = path.slice(0, MAX_LEVELS).map(fieldsOf);
  // The parent of the last one is the node beyond the rewarded levels.
  const nodeIds = [...nodes.map((node) => node?.nodeId), nodes.at(-1)?.parentNodeId];
  return {
    blockHint: isId(block) ? BigInt(block) : undefined,
    nodeHints: nodeIds.filter(isId),
  };
}

function answer(
  { saleId, head, newest }: BlocksRead,
  chainId: number | null,
  checks: readonly Check[],
  reason: string | null = null,
): Verification {
  const blocks = { block: blockOf(head), newestBlock: blockOf(newest) };
  const verdict = receiptVerdict(checks);
  return { chainId, saleId, verdict, reason, ...blocks, checks, notCompared: [] };
}

/** The verdict of all checks. A receipt that is only old says nothing false: it says what was. */
function receiptVerdict(checks: readonly Check[]): ReceiptVerdict {
  const verdict = verdictOf(
    checks.filter(({ name, status }) => name !== 'age' || status !== 'fail'),
  );
  const isOld = checks.some(({ name, status }) => name === 'age' && status === 'fail');
  return verdict === 'pass' && isOld ? 'outdated' : verdict;
}

function blockOf(header: ChainAnswer<BlockHeader>): VerifiedBlock | null {
  if (!header.ok) return null;
  const { number, hash, timestamp } = header.value;
  return { number: number.toString(), hash, timestamp: isoTime(timestamp) };
}

/** The result if nothing could be compared, with the reason. */
function notChecked(read: BlocksRead, chainId: number | null, reason: string): Verification {
  const checks = checkNames.map((name) => conclude(name, { pass: '', missing: [reason] }));
  return answer(read, chainId, checks, reason);
}

/**
 * The result if the RPC returned no SaleRecorded. Only the contract itself can say that it has no such sale:
 * then one check fails, and the others are `unavailable`. Otherwise nothing was checked.
 */
async function saleNotFound(chainId: number, reading: ReadContext): Promise<Verification> {
  const { saleId, contractAddress, fromBlock, head, newest, blockHint } = reading;
  const where = `Contract ${contractAddress} on chain ${chainId}`;
  const read = { saleId, head: answered(head), newest: answered(newest) };
  const unchecked = (reason: string) => notChecked(read, chainId, reason);
  try {
    await readSale(reading);
    return unchecked(
      `${where} has sale ${saleId}, but the RPC returned no log of it in blocks ${fromBlock} to ${head.number}.`,
    );
  } catch (error) {
    const name = contractError(error);
    if (name === 'no contract') {
      return unchecked(`There is no contract at ${contractAddress} on chain ${chainId}.`);
    }
    if (name === 'revert') {
      return unchecked(`${where} is not a Tributary contract: it does not know what a sale is.`);
    }
    if (name !== 'UnknownSale') return unchecked(notRead(where, error));
  }
  const problem = `${where} has no sale ${saleId} in blocks ${fromBlock} to ${head.number}.`;
  const aheadOfChain =
    blockHint !== undefined && blockHint > head.number
      ? [`The receipt names block ${blockHint}, which the chain has not reached.`]
      : [];
  const reason = `There is no sale ${saleId} to check.`;
  const checks = checkNames.map((name) =>
    name === 'sale'
      ? conclude(name, { pass: '', problems: [problem, ...aheadOfChain] })
      : conclude(name, { pass: '', missing: [reason] }),
  );
  return answer(read, chainId, checks);
}
