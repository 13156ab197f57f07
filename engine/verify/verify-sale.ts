import { isAddress, type PublicClient } from 'viem';
import type { Address } from '../core/events.ts';
import { MOST_LEVELS } from '../core/fold/index.ts';
import type { ReceiptFigures } from '../core/receipt.ts';
import { type Answer, ask } from './chain/answer.ts';
import { logsOf } from './chain/decode.ts';
import { readFacts } from './chain/facts.ts';
import { type BlockHeader, type Reading, readHeader } from './chain/reading.ts';
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
import { conclude } from './conclude.ts';
import { figuresOf, isoTime } from './figures.ts';
import { standingBefore } from './standing.ts';
import { type Subject, subjectOf } from './subject.ts';
import { type Check, checkNames, type Verification } from './types.ts';
import { verdictOf } from './verdict.ts';

export interface VerifySaleParameters {
  /** With a batching transport, questions asked together are one request. */
  readonly client: PublicClient;
  readonly contractAddress: Address;
  /** Decimal digits. */
  readonly saleId: string;
  /** The receipt to hold against the chain; without it each check looks at the chain alone. */
  readonly served?: ReceiptFigures | undefined;
  /** The block that deployed the contract: nothing is searched before it. Default: 0. */
  readonly fromBlock?: bigint | undefined;
  /**
   * The block to read everything as of: where the receipt is as of a block behind the chain's head,
   * that one, or what happened since would count as left out. Default: the newest, which takes one
   * round trip more, to learn which that is.
   */
  readonly atBlock?: bigint | undefined;
}

/** A question that no chain can answer. */
export class VerifyInputError extends Error {
  override readonly name = 'VerifyInputError';
}

/**
 * Verifies a sale against an RPC, and trusts nothing that was stored (design §6): what is served is
 * compared with the chain, and steers at most where the search begins.
 *
 * An RPC that fails makes a check `unavailable`, never an exception and never a pass; no message
 * holds its URL. Without `served` the comparison with the receipt falls away from every check, and
 * what remains is the chain against the protocol.
 *
 * @throws {VerifyInputError} where the sale id is no uint256 or the address is none.
 * @example
 * await verifySale({ client, contractAddress, saleId: '7', served: receipt, fromBlock: 12n })
 */
export async function verifySale(parameters: VerifySaleParameters): Promise<Verification> {
  checkInput(parameters);
  const { client, contractAddress, saleId, fromBlock = 0n, atBlock } = parameters;
  // Whatever is no object has none of the figures.
  const served = parameters.served === undefined ? undefined : (fieldsOf(parameters.served) ?? {});
  const search = { client, contractAddress, saleId, fromBlock, ...hintsOf(served) };
  const askEvents = (lastBlock: bigint) =>
    ask(`The events of sale ${saleId}`, findSaleEvents({ ...search, lastBlock }));
  const [chainId, head, early] = await Promise.all([
    ask('The chain’s id', client.getChainId()),
    ask(
      atBlock === undefined ? 'The newest block' : `Block ${atBlock}`,
      readHeader(client, atBlock),
    ),
    // Where the block is told, its events need not wait for its header: a round trip less.
    atBlock === undefined ? undefined : askEvents(atBlock),
  ]);
  if (!chainId.ok) return unanswered(saleId, null, head, chainId.reason);
  if (!head.ok) return unanswered(saleId, chainId.value, head, head.reason);

  const reading = { ...search, head: head.value };
  const events = early ?? (await askEvents(head.value.number));
  if (!events.ok) return unanswered(saleId, chainId.value, head, events.reason);
  const [record] = logsOf(events.value, 'SaleRecorded');
  if (record === undefined) return notThere(chainId.value, reading);

  const facts = await readFacts(reading, record, events.value);
  const subject = subjectOf(facts, { chainId: chainId.value, contractAddress, served });
  const standing = standingBefore(facts);
  return {
    ...answer(saleId, chainId.value, head, [
      checkTransaction(subject),
      checkSale(subject),
      checkCampaign(subject),
      checkPolicy(subject),
      checkPath(subject),
      checkSplit(subject, standing),
      checkTransitions(subject),
      checkState(subject),
    ]),
    facts: figuresOf(subject, standing.ok ? standing.value : undefined),
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

/** What a receipt suggests about where to look; whatever else it holds is left alone. */
function hintsOf(receipt: Subject['served']): Pick<Reading, 'blockHint' | 'nodeHints'> {
  const block = fieldsOf(receipt?.record)?.blockNumber;
  const path: readonly unknown[] = Array.isArray(receipt?.path) ? receipt.path : [];
  const nodeIds = path.slice(0, MOST_LEVELS).map((node) => fieldsOf(node)?.nodeId);
  return {
    blockHint: isId(block) ? BigInt(block) : undefined,
    nodeHints: nodeIds.filter(isId),
  };
}

function answer(
  saleId: string,
  chainId: number | null,
  head: Answer<BlockHeader>,
  checks: readonly Check[],
): Verification {
  return { chainId, saleId, verdict: verdictOf(checks), block: blockOf(head), checks };
}

function blockOf(head: Answer<BlockHeader>): Verification['block'] {
  if (!head.ok) return null;
  const { number, hash, timestamp } = head.value;
  return { number: number.toString(), hash, timestamp: isoTime(timestamp) };
}

function unanswered(
  saleId: string,
  chainId: number | null,
  head: Answer<BlockHeader>,
  reason: string,
): Verification {
  const checks = checkNames.map((name) => conclude(name, { pass: '', missing: [reason] }));
  return answer(saleId, chainId, head, checks);
}

/** No such sale: one check says so, and the others have nothing to look at. */
function notThere(chainId: number, reading: Reading): Verification {
  const { saleId, contractAddress, fromBlock, head, blockHint } = reading;
  const problem = `Contract ${contractAddress} on chain ${chainId} has no sale ${saleId} in blocks ${fromBlock} to ${head.number}.`;
  const behind =
    blockHint !== undefined && blockHint > head.number
      ? [`The receipt names block ${blockHint}, which the chain has not reached.`]
      : [];
  const reason = `There is no sale ${saleId} to look at.`;
  const checks = checkNames.map((name) =>
    name === 'sale'
      ? conclude(name, { pass: '', problems: [problem, ...behind] })
      : conclude(name, { pass: '', missing: [reason] }),
  );
  return answer(saleId, chainId, { ok: true, value: head }, checks);
}
