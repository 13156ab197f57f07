import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundleText, verifyBundle } from '../../../engine/verify/bundle/index.ts';
import { bundleOf, forged, fullTrust, withoutBlocks } from '../bundles.ts';
import { mutationsOf } from '../fuzz.ts';
import { tamperings } from '../tamper.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from '../verify-fixture.ts';
import {
  type Opinion,
  pythonIsInstalled,
  type Question,
  type SecondVerifier,
  secondVectors,
  startSecondVerifier,
} from './second-verifier.ts';

/** Random changes of bundles to try: more with `VERIFY_FUZZ=100000`, of another seed with `VERIFY_FUZZ_SEED`. */
const RUNS = Number(process.env.VERIFY_FUZZ ?? 100);
const SEED = Number(process.env.VERIFY_FUZZ_SEED ?? 30);

const SALES = [
  ...(['reversed', 'reversedLater', 'claimed', 'refundedAndFinalized', 'saleCapped'] as const),
  ...(['partlyRefunded', 'fullyRefunded', 'secondPolicy', 'thirdParty', 'direct'] as const),
];

function firstOpinion({ file, trust }: Question): Opinion {
  const { verdict, checks } = verifyBundle(file, trust);
  return { verdict, checks: Object.fromEntries(checks.map(({ name, status }) => [name, status])) };
}

/** An opinion as far as two verifiers must agree: where the receipt differs from the proofs, other checks may say so or not. */
function comparable(opinion: Opinion | undefined) {
  if (opinion?.checks?.figures !== 'fail') return opinion;
  const { format, contract, blocks, proofs, figures } = opinion.checks;
  return { verdict: opinion.verdict, checks: { format, contract, blocks, proofs, figures } };
}

describe.skipIf(!pythonIsInstalled)('the second verifier', () => {
  let scene: VerifyFixture;
  let bundles: Map<string, Bundle>;
  let second: SecondVerifier<Question>;

  beforeAll(async () => {
    second = startSecondVerifier();
    scene = await startVerifyFixture();
    const sales = await playSales(scene);
    bundles = new Map();
    for (const name of SALES) {
      // Half of the time is spent on hashes of whole files: only one has all headers between its blocks.
      const maxLinkHeaders = name === 'partlyRefunded' ? 256 : 1;
      bundles.set(name, await bundleOf(scene, sales[name], { maxLinkHeaders }));
    }
  }, 120_000);
  afterAll(async () => {
    await scene?.chain.stop();
    await second?.stop();
  });

  /** Asks both verifiers, and expects the same verdict, and the same statuses of all checks. */
  async function agreed(questions: readonly Question[]): Promise<readonly Opinion[]> {
    const opinions = await second.opinions(questions);
    return questions.map((question, i) => {
      const first = firstOpinion(question);
      const [a, b] = [first, opinions[i]].map(comparable);
      expect(b, question.file).toEqual(a);
      return first;
    });
  }

  it('computes the same splits and terms', () => {
    const folder = fileURLToPath(new URL('../../vectors', import.meta.url));
    expect(secondVectors(folder)).toBe('split.json 300 of 300\nterms.json 3 of 3\n');
  });

  it('agrees on honest bundles, whatever the reader knows', async () => {
    const questions = [...bundles.values()].flatMap((bundle) => {
      const file = bundleText(bundle);
      const trust = fullTrust(bundle);
      const [first, ...others] = trust.blockHashes;
      const newest = trust.blockHashes.slice(-1);
      return [
        trust,
        { ...trust, contractAddress: undefined },
        { ...trust, contractAddress: `0x${'1'.repeat(40)}` as const },
        { ...trust, chainId: 1 },
        { ...trust, blockHashes: [] },
        { ...trust, blockHashes: newest },
        { ...trust, blockHashes: others },
        { ...trust, blockHashes: [first?.toUpperCase().replace('X', 'x') as `0x${string}`] },
        { ...trust, blockHashes: [`0x${'7'.repeat(64)}` as const] },
      ].map((one) => ({ file, trust: one }));
    });
    const verdicts = (await agreed(questions)).map(({ verdict }) => verdict);
    expect(new Set(verdicts)).toEqual(new Set(['pass', 'unavailable', 'fail']));
    expect(verdicts.filter((_, i) => i % 9 === 0)).toContain('pass');
  });

  it('agrees that no receipt with a member changed passes', { timeout: 600_000 }, async () => {
    const questions = [...bundles.values()].flatMap((bundle, i) => {
      const trust = fullTrust(bundle);
      // Others of each bundle; `bundle-tampered.test.ts` tries the first verifier with all of them.
      const some = tamperings(bundle.receipt).filter(
        (_, place) => place % (6 * bundles.size) === i,
      );
      return some.map(({ receipt }) => ({
        file: forged({ ...bundle, receipt }),
        trust,
      }));
    });
    expect((await agreed(questions)).filter(({ verdict }) => verdict === 'pass')).toEqual([]);
    expect(questions.length).toBeGreaterThan(50);
  });

  it('agrees on bundles from which blocks were left out', { timeout: 600_000 }, async () => {
    const questions = [...bundles.values()].flatMap((bundle) => {
      const blocks = bundle.proofs.map(({ blockNumber }) => blockNumber);
      const trust = fullTrust(bundle);
      return blocks.flatMap((block) => {
        const file = withoutBlocks(bundle, new Set([block]));
        return file === undefined ? [] : [{ file, trust }];
      });
    });
    expect(questions.length).toBeGreaterThan(5);
    await agreed(questions);
  });

  it('agrees that no bundle with a random place changed passes', {
    timeout: 3_600_000,
  }, async () => {
    const all = [...bundles.entries()];
    const asked = all.flatMap(([name, bundle], i) => {
      const trust = fullTrust(bundle);
      const original = bundleText(bundle);
      const mutations = fc.sample(mutationsOf(bundle), {
        numRuns: Math.ceil(RUNS / all.length),
        seed: SEED + i,
      });
      return mutations
        .map(({ value }) => ({ name, file: textOf(value), trust }))
        .filter(({ file }) => file !== original);
    });
    const statuses = new Set<string>();
    for (const [i, { verdict, checks }] of (await agreed(asked)).entries()) {
      expect([asked[i]?.name, verdict]).not.toEqual([asked[i]?.name, 'pass']);
      statuses.add(
        Object.keys(checks)
          .filter((check) => checks[check] !== 'pass')
          .join(),
      );
    }
    // The changes reach beyond the form of the file.
    expect(statuses.size).toBeGreaterThan(10);
  });
});

/** The text that a forger makes of a changed bundle: with the hash that it has then, if it can have one. */
function textOf(value: unknown): string {
  try {
    return forged(Object(value));
  } catch {
    return String(JSON.stringify(value));
  }
}
