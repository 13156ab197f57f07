import { isAddress, type PublicClient } from 'viem';
import type { Address, Hex } from '../../../core/events.ts';
import { whyNoBundles } from '../../../core/known-chains.ts';
import type { ReadContext } from '../../chain/reading.ts';
import { VerifyInputError } from '../../verify-sale.ts';
import { saleIn } from '../evidence.ts';
import { readHeaders } from '../headers.ts';
import { MAX_HEADERS, MAX_PROVEN_BLOCKS } from '../limits.ts';
import { logsIn } from '../logs.ts';
import { proveReceipts } from '../prove.ts';
import { receiptOf } from '../receipt.ts';
import { bundleText, hashBundle } from '../text.ts';
import { type BlockProof, BUNDLE_FORMAT, type Bundle } from '../types.ts';
import { verifyBundle } from '../verify-bundle.ts';
import { BundleImpossibleError, BundleUnavailableError } from './errors.ts';
import { findTransactions, headOf, type NeededTransaction } from './find-logs.ts';
import { gapsToFill } from './link-blocks.ts';
import {
  answerTo,
  type RpcBlock,
  readBlock,
  readHeadersBetween,
  readReceiptsTrie,
} from './read-blocks.ts';

/** Blocks whose receipts are requested concurrently: those of one block may be some megabytes. */
const MAX_CONCURRENT_BLOCKS = 4;

/** Parameters of `makeBundle`. */
export interface MakeBundleParameters {
  /** A client of the chain. A batching transport sends concurrent questions as one request. */
  readonly client: PublicClient;
  readonly contractAddress: Address;
  /** Decimal digits. */
  readonly saleId: string;
  /** The block that deployed the contract: nothing is searched before it. Default: 0. */
  readonly fromBlock?: bigint | undefined;
  /** The block to read as of. Default: the newest. */
  readonly atBlock?: bigint | undefined;
  /** The block that may have recorded the sale; only the order of the search depends on it. */
  readonly blockHint?: bigint | undefined;
  /** Largest number of headers that only link needed blocks; each adds about 1.2 kB. Default: 256. */
  readonly maxLinkHeaders?: number | undefined;
}

/** Default number of headers that link blocks: about 0.3 MB. */
const LINK_HEADERS = 256;
/** Largest number of headers that link blocks: about 10 MB. */
export const MAX_LINK_HEADERS = 8_192;

/**
 * Makes the receipt bundle of a sale (docs/reference/bundle.md) from an RPC, and verifies it: the result passes
 * every check for a reader who trusts its blocks and the contract.
 *
 * @throws {NoSaleError} if the chain has no such sale.
 * @throws {BundleUnavailableError} if the RPC does not answer, or a reorg happened meanwhile.
 * @throws {BundleImpossibleError} if the sale exceeds a limit, or the chain's blocks have another format.
 * @example
 * await writeFile('sale-7.json', bundleText(await makeBundle({ client, contractAddress, saleId: '7' })))
 */
export async function makeBundle(parameters: MakeBundleParameters): Promise<Bundle> {
  const { client, saleId, fromBlock = 0n, atBlock, blockHint } = parameters;
  const maxLinkHeaders = parameters.maxLinkHeaders ?? LINK_HEADERS;
  const contractAddress = addressOf(parameters.contractAddress);
  const [chainId, head] = await Promise.all([
    answerTo('The chain’s id', client.getChainId()),
    headOf(client, atBlock),
  ]);
  const impossible = whyNoBundles(chainId);
  if (impossible !== undefined) throw new BundleImpossibleError(impossible);
  const reading: ReadContext = {
    client,
    contractAddress,
    saleId,
    fromBlock,
    head,
    newest: head,
    blockHint,
    nodeHints: [],
  };
  const byBlock = blocksOf(await findTransactions(reading));
  const proven = await proveBlocks(client, byBlock);
  const headers = await withLinks(client, proven, maxLinkHeaders);
  const proofs = proven.map(({ proof }) => proof);
  const bundle = assemble({ chainId, contractAddress, saleId, headers, proofs });
  selfCheck(
    bundle,
    proven.map(({ block }) => block.hash),
  );
  return bundle;
}

function addressOf(address: Address): Address {
  if (isAddress(address, { strict: false })) return `0x${address.slice(2).toLowerCase()}`;
  throw new VerifyInputError(`"${address}" is no address: give 0x and 40 hex digits.`);
}

interface NeededBlock {
  readonly number: bigint;
  readonly hash: Hex;
  readonly transactions: ReadonlySet<Hex>;
}

/** The needed transactions, grouped by block, in ascending order. */
function blocksOf(transactions: readonly NeededTransaction[]): NeededBlock[] {
  const blocks = new Map<bigint, { number: bigint; hash: Hex; transactions: Set<Hex> }>();
  for (const { blockNumber, blockHash, transactionHash } of transactions) {
    const block = blocks.get(blockNumber);
    if (block !== undefined && block.hash !== blockHash) throw reorg(blockNumber);
    const known = block ?? { number: blockNumber, hash: blockHash, transactions: new Set<Hex>() };
    known.transactions.add(transactionHash);
    blocks.set(blockNumber, known);
  }
  if (blocks.size > MAX_PROVEN_BLOCKS) {
    throw new BundleImpossibleError(
      `What proves the sale lies in ${blocks.size} blocks; a bundle holds ${MAX_PROVEN_BLOCKS} at most.`,
    );
  }
  return [...blocks.values()].sort((a, b) => (a.number < b.number ? -1 : 1));
}

interface ProvenBlock {
  readonly block: RpcBlock;
  readonly proof: BlockProof;
}

async function proveBlocks(
  client: PublicClient,
  needed: readonly NeededBlock[],
): Promise<ProvenBlock[]> {
  const blocks = await Promise.all(
    needed.map(async (one) => ({ ...one, block: await readBlock(client, one.hash) })),
  );
  const proven: ProvenBlock[] = [];
  for (let i = 0; i < blocks.length; i += MAX_CONCURRENT_BLOCKS) {
    const some = blocks.slice(i, i + MAX_CONCURRENT_BLOCKS).map((one) => proveBlock(client, one));
    proven.push(...(await Promise.all(some)));
  }
  return proven;
}

async function proveBlock(
  client: PublicClient,
  { block, transactions }: NeededBlock & { readonly block: RpcBlock },
): Promise<ProvenBlock> {
  const trie = await readReceiptsTrie(client, block);
  const transactionIndexes = block.transactions.flatMap((transaction, i) =>
    transactions.has(transaction) ? [i] : [],
  );
  const nodes = await trie.nodesTo(transactionIndexes);
  return { block, proof: { blockNumber: block.number.toString(), nodes, transactionIndexes } };
}

/** The headers of the proven blocks and those that link them, in ascending order. */
async function withLinks(
  client: PublicClient,
  proven: readonly ProvenBlock[],
  maxHeaders: number,
): Promise<Hex[]> {
  const headers = new Map(
    proven.map(({ block, proof }) => [BigInt(proof.blockNumber), block.header]),
  );
  const most = Math.min(maxHeaders, MAX_HEADERS - headers.size);
  for (const { from, to } of gapsToFill([...headers.keys()], most)) {
    const blocks = await readHeadersBetween(client, from, to);
    for (const [i, { header }] of blocks.entries()) headers.set(from + BigInt(i), header);
  }
  const inOrder = [...headers].sort(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.map(([, header]) => header);
}

function assemble(
  about: Pick<Bundle, 'chainId' | 'contractAddress' | 'saleId' | 'headers' | 'proofs'>,
): Bundle {
  const headers = readHeaders(about, []);
  if (headers.problems.length > 0) {
    throw new BundleUnavailableError(
      `A reorg came between, or the RPC contradicts itself: ${headers.problems[0]} Try again.`,
    );
  }
  const { receipts } = proveReceipts(about.proofs, headers);
  const logs = logsIn(receipts, about.contractAddress);
  const sale = saleIn(logs, headers, about);
  const receipt = sale && receiptOf(sale);
  if (receipt === undefined) {
    throw new BundleImpossibleError(
      `The chain’s logs give no whole receipt of sale ${about.saleId}: its campaign, policy or path is missing.`,
    );
  }
  const { chainId, contractAddress, saleId, headers: encoded, proofs } = about;
  const rest = {
    chainId,
    contractAddress,
    format: BUNDLE_FORMAT,
    headers: encoded,
    proofs,
    receipt,
    saleId,
  } as const;
  return { bundleHash: hashBundle(rest), ...rest };
}

function selfCheck(bundle: Bundle, blockHashes: readonly Hex[]): void {
  const { contractAddress, chainId } = bundle;
  const { checks } = verifyBundle(bundleText(bundle), {
    blockHashes,
    contractAddress,
    chainId,
  });
  const failed = checks.find(({ status }) => status !== 'pass');
  if (failed === undefined) return;
  throw new BundleImpossibleError(
    `What the chain says of sale ${bundle.saleId} does not pass the check "${failed.name}": ${failed.message}`,
  );
}

function reorg(blockNumber: bigint): BundleUnavailableError {
  return new BundleUnavailableError(
    `Block ${blockNumber} was replaced while it was read: try again.`,
  );
}
