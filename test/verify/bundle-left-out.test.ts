import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, verifyBundle } from '../../engine/verify/bundle/index.ts';
import { advance, refund, send } from '../support/actions.ts';
import { bundleOf, faultsOf, forged, fullTrust, withoutBlocks } from './bundles.ts';
import {
  grow,
  open,
  playSales,
  sell,
  startVerifyFixture,
  type VerifyFixture,
} from './verify-fixture.ts';

let scene: VerifyFixture;
let bundles: Map<string, Bundle>;

beforeAll(async () => {
  scene = await startVerifyFixture();
  const sales = await playSales(scene);
  bundles = new Map();
  for (const name of [
    ...(['reversed', 'reversedLater', 'claimed', 'refundedAndFinalized'] as const),
    ...(['partlyRefunded', 'fullyRefunded', 'secondPolicy', 'thirdParty'] as const),
  ]) {
    // The headers that link its blocks would be left out with them.
    bundles.set(name, await bundleOf(scene, sales[name], { maxLinkHeaders: 1 }));
  }
  bundles.set('direct', await finalizedWithout('a reward'));
  bundles.set('linked', await finalizedWithout('nothing'));
});
afterAll(() => scene?.chain.stop());

/** A sale that is refunded by 90 % while it is pending, and then finalized. */
async function finalizedWithout(what: 'a reward' | 'nothing'): Promise<Bundle> {
  const campaignId = await open(scene, {});
  const [nodeId = 0n] = await grow(scene, campaignId, 1);
  const saleId = await sell(scene, campaignId, what === 'nothing' ? nodeId : 0n);
  await refund(scene.chain, scene.merchant, saleId, 900_000n);
  await advance(scene.chain, 61);
  await send(scene.chain, scene.attester, 'finalize', [[saleId]]);
  return await bundleOf(scene, saleId);
}

describe('a bundle from which earlier events were left out', () => {
  it('passes in no case, whichever blocks before its newest event are missing', () => {
    let tried = 0;
    for (const [name, bundle] of bundles) {
      const blocks = bundle.proofs.map(({ blockNumber }) => blockNumber);
      const trust = fullTrust(bundle);
      const newest = bundle.receipt.transitions.at(-1)?.blockNumber ?? '0';
      const earlier = blocks.filter((number) => BigInt(number) < BigInt(newest));
      for (let mask = 1; mask < 2 ** Math.min(earlier.length, 8); mask += 1) {
        const left = new Set(earlier.filter((_, i) => (mask >> i) % 2 === 1));
        const file = withoutBlocks(bundle, left);
        // Without a needed event there is no receipt at all.
        if (file === undefined) continue;
        tried += 1;
        const { verdict } = verifyBundle(file, trust);
        expect([name, [...left], verdict]).not.toEqual([name, [...left], 'pass']);
      }
    }
    expect(tried).toBeGreaterThanOrEqual(9);
  });

  it('says of a finalized sale without rewards that nothing proves its refunds', () => {
    const honest = bundles.get('direct');
    if (honest === undefined) throw new Error('it was made above');
    const refunded = honest.receipt.transitions.find(({ name }) => name === 'SaleRefunded');
    const forgedFile = withoutBlocks(honest, new Set([refunded?.blockNumber ?? '']));
    for (const [file, most] of [
      [forged(honest), '99999'],
      [forgedFile ?? '', '999999'],
    ] as const) {
      const result = verifyBundle(file, fullTrust(honest));
      expect([result.verdict, faultsOf(result)]).toEqual(['unavailable', ['state: unavailable']]);
      expect(result.checks.find(({ name }) => name === 'state')?.message).toContain(
        `nothing proves how much was refunded before: up to ${most} base units more`,
      );
    }
  });

  it('passes a finalized sale with rewards, and names the most that could be hidden', () => {
    const bundle = bundles.get('linked');
    if (bundle === undefined) throw new Error('it was made above');
    const result = verifyBundle(forged(bundle), fullTrust(bundle));
    expect([result.verdict, faultsOf(result)]).toEqual(['pass', []]);
    expect(result.checks.find(({ name }) => name === 'state')?.message).toMatch(
      /Up to \d+ base units? more may have been refunded before it was finalized|hold ends/,
    );
  });
});
