import { isAddress, type PublicClient } from 'viem';
import type { Address } from '../core/events.ts';
import { MAX_LEVELS } from '../core/fold/index.ts';
import type { ReceiptFields } from '../core/receipt.ts';
import { ask, type ChainAnswer, contractError, notRead } from './chain/answer.ts';
import { logsOf } from './chain/decode.ts';
import { readFacts } from './chain/facts.ts';
import { type BlockHeader, type ReadContext, readHeader } from './chain/reading.ts';
import { findSaleEvents } from './chain/sale-events.ts';
import { readSale } from './chain/views.ts';
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
import { otherSubject } from './other-subject.ts';
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
  /** Hash of block 0 of the receipt's chain: an RPC of another chain with the same id is recognized by it. */
  readonly genesisHash?: string | undefined;
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
  const served = parameters.served === undefined ? undefined : (fieldsOf(parameters.served) ?? {});
  const search = { client, contractAddress, saleId, fromBlock, ...hintsOf(served) };
  const requestEvents = (lastBlock: bigint) =>
    ask(`The events of sale ${saleId}`, findSaleEvents({ ...search, lastBlock }));
  const [chainId, head, early, firstBlock] = await Promise.all([
    ask('The chain’s id', client.getChainId()),
    ask(
      atBlock === undefined ? 'The newest block' : `Block ${atBlock}`,
      readHeader(client, atBlock),
    ),
    // If the block is given, its events need not wait for its header: one round trip less.
    atBlock === undefined ? undefined : requestEvents(atBlock),
    genesisHash === undefined
      ? undefined
      : ask(
          'Block 0',
          readHeader(client, 0n).then(({ hash }) => hash),
        ),
  ]);
  if (!chainId.ok) return notChecked(saleId, null, head, chainId.reason);
  const events = early ?? (head.ok ? await requestEvents(head.value.number) : head);
  const asked = { chainId: chainId.value, contractAddress, genesisHash, firstBlock, events };
  const other = otherSubject(served, asked);
  if (other !== undefined) return notChecked(saleId, chainId.value, head, other);
  if (!head.ok) return notChecked(saleId, chainId.value, head, head.reason);
  if (!events.ok) return notChecked(saleId, chainId.value, head, events.reason);

  const reading = { ...search, head: head.value };
  const [record] = logsOf(events.value, 'SaleRecorded');
  if (record === undefined) return await saleNotFound(chainId.value, reading);

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
  reason: string | null = null,
): Verification {
  return { chainId, saleId, verdict: verdictOf(checks), reason, block: blockOf(head), checks };
}

function blockOf(head: ChainAnswer<BlockHeader>): Verification['block'] {
  if (!head.ok) return null;
  const { number, hash, timestamp } = head.value;
  return { number: number.toString(), hash, timestamp: isoTime(timestamp) };
}

/** The result if nothing could be compared, with the reason. */
function notChecked(
  saleId: string,
  chainId: number | null,
  head: ChainAnswer<BlockHeader>,
  reason: string,
): Verification {
  const checks = checkNames.map((name) => conclude(name, { pass: '', missing: [reason] }));
  return answer(saleId, chainId, head, checks, reason);
}

/**
 * The result if the RPC returned no SaleRecorded. Only the contract itself can say that it has no such sale:
 * then one check fails, and the others are `unavailable`. Otherwise nothing was checked.
 */
async function saleNotFound(chainId: number, reading: ReadContext): Promise<Verification> {
  const { saleId, contractAddress, fromBlock, head, blockHint } = reading;
  const where = `Contract ${contractAddress} on chain ${chainId}`;
  const found: ChainAnswer<BlockHeader> = { ok: true, value: head };
  const unchecked = (reason: string) => notChecked(saleId, chainId, found, reason);
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
  return answer(saleId, chainId, found, checks);
}
