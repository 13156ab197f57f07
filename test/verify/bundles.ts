import { keccak256, stringToBytes } from 'viem';
import { canonicalJson } from '../../engine/core/canonical-json.ts';
import { type Bundle, bundleText, verifyBundle } from '../../engine/verify/bundle/index.ts';
import { makeBundle } from '../../engine/verify/bundle/make/index.ts';
import type { BundleTrust, BundleVerification } from '../../engine/verify/bundle/types.ts';
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

/** A bundle of anybody's making: with the hash that its content has. */
export function forged(bundle: object): string {
  const text = canonicalJson({ ...bundle, bundleHash: undefined });
  return `{"bundleHash":"${keccak256(stringToBytes(text))}",${text.slice(1)}`;
}

/** The checks that did not pass. */
export function faultsOf({ checks }: BundleVerification): string[] {
  return checks.flatMap(({ name, status }) => (status === 'pass' ? [] : [`${name}: ${status}`]));
}
