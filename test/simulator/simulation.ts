import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeccak } from '../../engine/chain/keccak.ts';
import { type CallCount, History } from './chain/history.ts';
import { type Market, openMarket } from './chain/market.ts';
import { type Checked, Checks } from './check/check.ts';
import { Dice, nonEmpty } from './dice.ts';
import { type FaultName, faults } from './faults/index.ts';
import { System } from './parts/system.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** Steps of the protocol's history, at least. */
  readonly steps: number;
  /** Faults that may happen. */
  readonly mix: readonly FaultName[];
  readonly workers: number;
  readonly redis: boolean;
  readonly onRound?: (round: Round) => void;
}

/** Some steps, a fault, and that all was well after it. */
export interface Round extends Checked {
  readonly step: number;
  readonly fault: FaultName;
  /** Sentence that says what the fault did. */
  readonly report: string;
}

/** Outcome of a simulation; `failure` is absent if it succeeded. */
export interface Outcome {
  readonly seed: number;
  readonly steps: number;
  readonly rounds: readonly Round[];
  readonly calls: ReadonlyMap<string, CallCount>;
  readonly reads: { readonly read: number; readonly excused: number };
  readonly failure?: { readonly step: number; readonly fault: FaultName; readonly message: string };
  /** The folder of database and logs, which a failure leaves behind. */
  readonly dir: string;
}

/**
 * Plays the history of a seed on a real chain, lets go wrong what the seed says, and checks after
 * each fault that nothing is lost, doubled or wrong.
 */
export async function simulate(options: SimulationOptions): Promise<Outcome> {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-simulation-'));
  // The database server's account must be able to pass it.
  await chmod(dir, 0o755);
  const market = await openMarket();
  try {
    const history = new History(market, options.seed);
    await history.begin();
    const { redis, workers } = options;
    const system = await System.open({ chain: market.chain, dir, redis, workers });
    try {
      return await playRounds(options, { market, history, system, dir });
    } finally {
      await system.close();
    }
  } finally {
    await market.chain.stop();
  }
}

/** Removes what a simulation left behind. */
export async function sweep({ dir }: Outcome): Promise<void> {
  await rm(dir, { recursive: true, force: true });
}

async function playRounds(
  { seed, steps, mix, onRound }: SimulationOptions,
  { market, history, system, dir }: Parts,
): Promise<Outcome> {
  const checks = new Checks(market, system, await openKeccak(), seed);
  const scene = { history, system, checks, dice: new Dice(seed, 'faults') };
  const weighted = nonEmpty(mix.map((name) => ({ name, weight: faults[name].weight })));
  if (weighted === undefined) throw new Error('There is no fault to mix in.');
  const rounds: Round[] = [];
  let fault: FaultName = weighted[0].name;
  const outcome = () => {
    const { read, excused } = checks.reader.counts;
    return {
      seed,
      steps: history.steps,
      rounds,
      calls: history.counts,
      reads: { read, excused },
      dir,
    };
  };
  checks.start();
  try {
    await checks.check();
    while (history.steps < steps) {
      await history.play(scene.dice.between(2, 7));
      fault = scene.dice.weighted(weighted).name;
      const report = await faults[fault].run(scene);
      await history.play(scene.dice.between(1, 4));
      const round = { ...(await checks.check()), step: history.steps, fault, report };
      rounds.push(round);
      onRound?.(round);
    }
    return outcome();
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { ...outcome(), failure: { step: history.steps, fault, message } };
  } finally {
    await checks.stop();
  }
}

interface Parts {
  readonly market: Market;
  readonly history: History;
  readonly system: System;
  readonly dir: string;
}
