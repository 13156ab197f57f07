import { createHash } from 'node:crypto';

/** One timed run of a case. */
export interface Sample {
  /** Wall-clock milliseconds of the part that is measured. */
  readonly ms: number;
  /** Checksum of the result: a fast wrong answer fails. */
  readonly checksum: string;
}

/** Median, minimum and maximum of several runs. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly runs: number;
}

/**
 * Runs cases in turn, round after round, so that what else the machine does meets all of them.
 * @param cases by name; each makes its own data, does its work and says how long that took.
 * @throws where two runs of one case come to different results.
 */
export async function interleaved<Name extends string>(
  rounds: number,
  cases: Readonly<Record<Name, (round: number) => Promise<Sample>>>,
): Promise<Readonly<Record<Name, readonly Sample[]>>> {
  const names = Object.keys(cases) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Sample[]
  >;
  for (let round = 0; round < rounds; round += 1) {
    // Every other round backwards: no case is always the one that meets a warm cache.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await cases[name](round);
      const [first] = samples[name];
      if (first !== undefined && first.checksum !== sample.checksum) {
        throw new Error(`${name}: round ${round + 1} came to another result than the first`);
      }
      samples[name].push(sample);
    }
  }
  return samples;
}

/** Times one piece of work; `result` is asked afterwards and is not in the time. */
export async function timed(
  work: () => Promise<unknown>,
  result: () => Promise<string> | string,
): Promise<Sample> {
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  return { ms, checksum: await result() };
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const least = sorted[0];
  const most = sorted.at(-1);
  if (least === undefined || most === undefined) throw new Error('nothing was measured');
  return { median: percentile(sorted, 0.5), least, most, runs: sorted.length };
}

/** Things per second in each run. */
export function rates(samples: readonly Sample[], count: number): Spread {
  return spreadOf(samples.map(({ ms }) => count / (ms / 1_000)));
}

/** The value below which that share of them lies. @param share from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error('a percentile of nothing');
  return value;
}

/** Sixteen digits that stand for a text of any length. */
export function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
