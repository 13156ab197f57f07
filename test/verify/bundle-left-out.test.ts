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

  it.each(['direct', 'linked'])(
    'fails the %s sale without its refund, and passes the whole file',
    (name) => {
      const honest = bundles.get(name);
      if (honest === undefined) throw new Error('it was made above');
      const whole = verifyBundle(forged(honest), fullTrust(honest));
      expect([whole.verdict, faultsOf(whole)]).toEqual(['pass', []]);
      const refunded = honest.receipt.transitions.find(
        ({ name: event }) => event === 'SaleRefunded',
      );
      const file = withoutBlocks(honest, new Set([refunded?.blockNumber ?? '']));
      if (file === undefined) throw new Error('the refund is in a block of its own');
      const result = verifyBundle(file, fullTrust(honest));
      expect(result.verdict).toBe('fail');
      expect(result.checks.find(({ name: check }) => check === 'transitions')?.message).toContain(
        'SaleFinalized says 900000 base units were refunded before; the refunds sum to 0.',
      );
    },
  );
});
