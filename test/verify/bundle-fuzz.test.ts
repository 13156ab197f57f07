import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleText, verifyBundle } from '../../engine/verify/bundle/index.ts';
import { type BundleTrust, bundleCheckNames } from '../../engine/verify/bundle/types.ts';
import { type Forgery, forgeriesOf, isUnchanged, truthOf } from './bundle-fuzz.ts';
import { bundleOf, fullTrust } from './bundles.ts';
import { shownAs } from './fuzz.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

/** Forgeries to try: more with `VERIFY_FUZZ=100000`, of another seed with `VERIFY_FUZZ_SEED`. */
const RUNS = Number(process.env.VERIFY_FUZZ ?? 1_000);
const SEED = Number(process.env.VERIFY_FUZZ_SEED ?? 30);
/** Forgeries that are in memory together. */
const BATCH = 500;

const SALES = [
  ...(['reversed', 'reversedLater', 'claimed', 'refundedAndFinalized', 'saleCapped'] as const),
  ...(['partlyRefunded', 'fullyRefunded', 'secondPolicy', 'thirdParty', 'direct'] as const),
  ...(['liabilityCapped', 'nothingLeft', 'secondOfBlock', 'shortRenormalized'] as const),
];

let scene: VerifyFixture;
let bundles: readonly Bundle[];

beforeAll(async () => {
  scene = await startVerifyFixture();
  const sales = await playSales(scene);
  bundles = await Promise.all(
    SALES.map((name) => bundleOf(scene, sales[name], { maxLinkHeaders: 2 })),
  );
}, 120_000);
afterAll(() => scene?.chain.stop());

/** Trusts of readers for whom the bundle passes: all of its blocks, and the newest alone if it leads to the others. */
function trustsOf(bundle: Bundle): BundleTrust[] {
  const whole = fullTrust(bundle);
  return [whole, { ...whole, blockHashes: whole.blockHashes.slice(-1) }].filter(
    (trust) => verifyBundle(bundleText(bundle), trust).verdict === 'pass',
  );
}

describe('random changes of a bundle', () => {
  it('lets no bundle pass that shows anything that is not true', { timeout: 3_600_000 }, () => {
    const verdicts = new Map<string, number>();
    const passed = new Map<string, number>();
    const faults = new Map<string, number>();
    const untrue: (Forgery & { readonly sale: string | undefined })[] = [];
    for (const [i, bundle] of bundles.entries()) {
      const trusts = trustsOf(bundle);
      expect([SALES[i], trusts.length > 0]).toEqual([SALES[i], true]);
      const runs = Math.ceil(RUNS / bundles.length);
      for (let from = 0; from < runs; from += BATCH) {
        const forgeries = fc.sample(forgeriesOf(bundle, bundles), {
          numRuns: Math.min(BATCH, runs - from),
          seed: SEED * 1_000_003 + i * 10_007 + from,
        });
        for (const [j, forgery] of forgeries.entries()) {
          if (isUnchanged(forgery, bundle)) {
            add(verdicts, 'unchanged');
            continue;
          }
          const trust = trusts[j % trusts.length] ?? { blockHashes: [] };
          const { verdict, checks, receipt } = verifyBundle(forgery.file, trust);
          add(verdicts, verdict);
          for (const { name, status } of checks) if (status === 'fail') add(faults, name);
          if (verdict !== 'pass') continue;
          const truth = truthOf(forgery.file, bundles);
          add(passed, truth ?? 'untrue');
          const shown = shownAs(JSON.parse(forgery.file).receipt);
          if (truth === undefined || shown !== shownAs(receipt)) {
            untrue.push({ sale: SALES[i], ...forgery });
          }
        }
      }
    }
    if (process.env.VERIFY_FUZZ !== undefined) {
      console.info(Object.fromEntries(verdicts), Object.fromEntries(passed));
      console.info(Object.fromEntries(faults));
    }
    expect(untrue).toEqual([]);
    // The changes reach every check, most of them behind a hash that is right.
    expect([...faults.keys()].sort()).toEqual([...bundleCheckNames].sort());
    expect(faults.get('format') ?? 0).toBeLessThan(RUNS / 2);
    expect(verdicts.get('unavailable') ?? 0).toBeGreaterThan(RUNS / 100);
  });
});

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
