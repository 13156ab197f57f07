import { stringToBytes, toHex } from 'viem';
import { openKeccak } from '../../engine/chain/keccak.ts';
import { canonicalJson } from '../../engine/core/canonical-json.ts';
import { saleIn } from '../../engine/verify/bundle/evidence.ts';
import { readHeaders } from '../../engine/verify/bundle/headers.ts';
import { type Bundle, bundleText, verifyBundle } from '../../engine/verify/bundle/index.ts';
import { logsIn } from '../../engine/verify/bundle/logs.ts';
import { makeBundle } from '../../engine/verify/bundle/make/index.ts';
import { BundleFormatError, parseBundle } from '../../engine/verify/bundle/parse.ts';
import { proveReceipts } from '../../engine/verify/bundle/prove.ts';
import { receiptOf } from '../../engine/verify/bundle/receipt.ts';
import type {
  BundleReceipt,
  BundleTrust,
  BundleVerification,
} from '../../engine/verify/bundle/types.ts';
import { batchingClient } from './clients.ts';
import type { VerifyFixture } from './verify-fixture.ts';

type Options = Partial<Omit<Parameters<typeof makeBundle>[0], 'saleId'>>;

/** The bundle of a sale, made from the scene's chain. */
export async function bundleOf({ chain }: VerifyFixture, saleId: bigint, options: Options = {}) {
  return await makeBundle({
    client: batchingClient(chain.anvil.url).client,
    contractAddress: chain.contract,
    fromBlock: chain.startBlock,
    saleId: saleId.toString(),
    ...options,
  });
}

/** The trust of a reader who knows every block of the bundle. */
export function fullTrust(bundle: Bundle): BundleTrust {
  const { blocks } = verifyBundle(bundleText(bundle), { blockHashes: [] });
  const { contractAddress, chainId } = bundle;
  return { blockHashes: blocks.map(({ hash }) => hash), contractAddress, chainId };
}

// Not viem's, which takes ten times as long: hashes of whole files are most of what forging costs.
const keccak256 = await openKeccak();

/** A bundle of anybody's making: with the hash that its content has. */
export function forged(bundle: object): string {
  const text = canonicalJson({ ...bundle, bundleHash: undefined });
  return `{"bundleHash":"${toHex(keccak256(stringToBytes(text)))}",${text.slice(1)}`;
}

/** The bundle without the proofs of some blocks, with everything that a forger can compute again. */
export function withoutBlocks(bundle: Bundle, blocks: ReadonlySet<string>): string | undefined {
  const proofs = bundle.proofs.filter(({ blockNumber }) => !blocks.has(blockNumber));
  const included = new Set(proofs.map(({ blockNumber }) => blockNumber));
  const all = readHeaders(bundle, []);
  const headers = bundle.headers.filter((_, i) => included.has([...all.byNumber.keys()][i] ?? ''));
  const changed = { ...bundle, headers, proofs };
  const receipt = receiptFrom(changed);
  return receipt && forged({ ...changed, receipt });
}

/** The receipt that the proofs of a bundle of anybody's making give; `undefined` if there is none. */
export function rederived(bundle: object): BundleReceipt | undefined {
  try {
    return receiptFrom(parseBundle(forged(bundle)));
  } catch (error) {
    if (error instanceof BundleFormatError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function receiptFrom(bundle: Omit<Bundle, 'bundleHash' | 'receipt'>): BundleReceipt | undefined {
  const read = readHeaders(bundle, []);
  const logs = logsIn(proveReceipts(bundle.proofs, read).receipts, bundle.contractAddress);
  const sale = saleIn(logs, read, bundle);
  return sale && receiptOf(sale);
}

/** The checks that did not pass. */
export function faultsOf({ checks }: BundleVerification): string[] {
  return checks.flatMap(({ name, status }) => (status === 'pass' ? [] : [`${name}: ${status}`]));
}
