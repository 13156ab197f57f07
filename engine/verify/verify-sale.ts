import { isAddress, type PublicClient } from 'viem';
import type { Address } from '../core/events.ts';
import { MAX_LEVELS } from '../core/fold/index.ts';
import type { ReceiptFields } from '../core/receipt.ts';
import { ask, type ChainAnswer } from './chain/answer.ts';
import { logsOf } from './chain/decode.ts';
import { readFacts } from './chain/facts.ts';
import { type BlockHeader, type ReadContext, readHeader } from './chain/reading.ts';
import { findSaleEvents } from './chain/sale-events.ts';
import { checkCampaign } from './checks/campaign.ts';
import { checkPath } from './checks/path.ts';
import { checkPolicy } from './checks/policy.ts';
import { checkSale } from './checks/sale.ts';
import { checkSplit } from './checks/split.ts';
import { checkState } from './checks/state.ts';
import { checkTransaction } from './checks/transaction.ts';
import { checkTransitions } from './checks/transitions.ts';
import { fieldsOf } from './compare.ts';
import { conclude, verdictOf } from './conclude.ts';
import { isoTime, receiptFields } from './receipt-fields.ts';
import { budgetBefore } from './reward-budget.ts';
import { type Subject, subjectOf } from './subject.ts';
import { type Check, checkNames, type Verification } from './types.ts';

/** Parameters of `verifySale`. */
export interface VerifySaleParameters {
  /** A client of the chain. A batching transport sends concurrent questions as one request. */
  readonly client: PublicClient;
  readonly contractAddress: Address;
  /** Decimal digits. */
  readonly saleId: string;
  /** The receipt to compare with the chain; without it the chain alone is checked. */
  readonly served?: ReceiptFields | undefined;
  /** The block that deployed the contract: nothing is searched before it. Default: 0. */
  readonly fromBlock?: bigint | undefined;
  /**
   * The block to read everything as of. It must be the block of the receipt: events after that block would
   * count as missing from it. Default: the newest block, which takes one more round trip.
   */
  readonly atBlock?: bigint | undefined;
}

/** Thrown if the sale id or contract address is malformed. */
export class VerifyInputError extends Error {
  override readonly name = 'VerifyInputError';
}

/**
 * Verifies a sale against an RPC (docs/api.md#verifying-a-receipt). It trusts no stored data: the served
 * receipt is only compared with the chain, and at most decides where the search begins.
 *
 * An RPC that fails makes a check `unavailable`, never an exception and never a pass; no message
 * holds its URL. Without `served`, the checks only compare the chain with the protocol.
 *
 * @throws {VerifyInputError} if the sale id is no uint256 or the address is malformed.
 * @example
 * await verifySale({ client, contractAddress, saleId: '7', served: receipt, fromBlock: 12n })
 */
export async function verifySale(parameters: VerifySaleParameters): Promise<Verification> {
  checkInput(parameters);
  const { client, contractAddress, saleId, fromBlock = 0n, atBlock } = parameters;
  // A receipt that is no object has no fields.
  const served = parameters.served === undefined ? undefined : (fieldsOf(parameters.served) ?? {});
  const search = { client, contractAddress, saleId, fromBlock, ...hintsOf(served) };
  const requestEvents = (lastBlock: bigint) =>
    ask(`The events of sale ${saleId}`, findSaleEvents({ ...search, lastBlock }));
  const [chainId, head, early] = await Promise.all([
    ask('The chain’s id', client.getChainId()),
    ask(
      atBlock === undefined ? 'The newest block' : `Block ${atBlock}`,
      readHeader(client, atBlock),
    ),
    // If the block is given, its events need not wait for its header: one round trip less.
    atBlock === undefined ? undefined : requestEvents(atBlock),
  ]);
  if (!chainId.ok) return unanswered(saleId, null, head, chainId.reason);
  if (!head.ok) return unanswered(saleId, chainId.value, head, head.reason);

  const reading = { ...search, head: head.value };
  const events = early ?? (await requestEvents(head.value.number));
  if (!events.ok) return unanswered(saleId, chainId.value, head, events.reason);
  const [record] = logsOf(events.value, 'SaleRecorded');
  if (record === undefined) return saleNotFound(chainId.value, reading);

  const facts = await readFacts(reading, record, events.value);
  const subject = subjectOf(facts, { chainId: chainId.value, contractAddress, served });
  const budget = budgetBefore(facts);
  return {
    ...answer(saleId, chainId.value, head, [
      checkTransaction(subject),
      checkSale(subject),
      checkCampaign(subject),
      checkPolicy(subject),
      checkPath(subject),
      checkSplit(subject, budget),
      checkTransitions(subject),
      checkState(subject),
    ]),
    facts: receiptFields(subject, budget.ok ? budget.value : undefined),
  };
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
function hintsOf(receipt: Subject['served']): Pick<ReadContext, 'blockHint' | 'nodeHints'> {
  const block = fieldsOf(receipt?.record)?.blockNumber;
  const path: readonly unknown[] = Array.isArray(receipt?.path) ? receipt.path : [];
  const nodeIds = path.slice(0, MAX_LEVELS).map((node) => fieldsOf(node)?.nodeId);
  return {
    blockHint: isId(block) ? BigInt(block) : undefined,
    nodeHints: nodeIds.filter(isId),
  };
}

function answer(
  saleId: string,
  chainId: number | null,
  head: ChainAnswer<BlockHeader>,
  checks: readonly Check[],
): Verification {
  return { chainId, saleId, verdict: verdictOf(checks), block: blockOf(head), checks };
}

function blockOf(head: ChainAnswer<BlockHeader>): Verification['block'] {
  if (!head.ok) return null;
  const { number, hash, timestamp } = head.value;
  return { number: number.toString(), hash, timestamp: isoTime(timestamp) };
}

function unanswered(
  saleId: string,
  chainId: number | null,
  head: ChainAnswer<BlockHeader>,
  reason: string,
): Verification {
  const checks = checkNames.map((name) => conclude(name, { pass: '', missing: [reason] }));
  return answer(saleId, chainId, head, checks);
}

/** The result if the chain has no such sale: one check says so, the others are `unavailable`. */
function saleNotFound(chainId: number, reading: ReadContext): Verification {
  const { saleId, contractAddress, fromBlock, head, blockHint } = reading;
  const problem = `Contract ${contractAddress} on chain ${chainId} has no sale ${saleId} in blocks ${fromBlock} to ${head.number}.`;
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
  return answer(saleId, chainId, { ok: true, value: head }, checks);
}
