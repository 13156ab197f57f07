import type { Keccak256 } from '../../../engine/core/digest.ts';
import type { Hex } from '../../../engine/core/events.ts';
import { openPool } from '../../../engine/db/connection.ts';
import { nonEmpty } from '../dice.ts';
import type { CallCount } from './chain.ts';
import { type VirtualFaultName, virtualFaults } from './faults.ts';
import { Scene } from './scene.ts';

export interface VirtualOptions {
  readonly seed: number;
  /** Calls of the history, at least. */
  readonly steps: number;
  /** Calls between two faults, on average; `STEPS_PER_FAULT` if absent. */
  readonly stepsPerFault?: number;
  /** Faults that may happen. */
  readonly mix: readonly VirtualFaultName[];
  /** A database that is migrated and has no rows. */
  readonly databaseUrl: string;
  readonly keccak256: Keccak256;
  readonly onRound?: (round: VirtualRound) => void;
  /** Called when the first campaigns are settled. A test breaks something there. */
  readonly prepare?: (scene: Scene) => Promise<void>;
}

/** Some steps, a fault, and that all was well after it. */
export interface VirtualRound {
  readonly step: number;
  readonly blockNumber: number;
  readonly fault: VirtualFaultName;
  /** Whether the fault happened: there may have been no block to replace, or no batch to kill. */
  readonly happened: boolean;
  readonly ms: number;
}

/** Outcome of a history; `failure` is absent if it succeeded. */
export interface VirtualOutcome {
  readonly seed: number;
  readonly steps: number;
  readonly rounds: readonly VirtualRound[];
  readonly calls: ReadonlyMap<string, CallCount>;
  readonly events: number;
  readonly sales: number;
  readonly campaigns: number;
  readonly reads: number;
  /** The root over all campaigns at the end: the same for the same seed. */
  readonly root: Hex;
  readonly failure?: {
    readonly step: number;
    readonly fault: VirtualFaultName | 'none';
    readonly message: string;
  };
}

/** Calls between two faults, on average. Fewer find more per step, more play more steps per second. */
export const STEPS_PER_FAULT = 270;

/** Rounds after which the audit runs, besides the last. */
const AUDIT_ROUNDS = 8;

/** Plays the history of a seed on a chain in memory, with the real settlement on a real database. */
export async function simulateVirtually(options: VirtualOptions): Promise<VirtualOutcome> {
  const pool = openPool(options.databaseUrl, { max: 8, applicationName: 'simulator' });
  try {
    return await playRounds(options, new Scene(pool, options.keccak256, options.seed));
  } finally {
    await pool.end({ timeout: 5 });
  }
}

async function playRounds(
  { seed, steps, stepsPerFault = STEPS_PER_FAULT, mix, onRound, prepare }: VirtualOptions,
  scene: Scene,
): Promise<VirtualOutcome> {
  const weighted = nonEmpty(mix.map((name) => ({ name, weight: virtualFaults[name].weight })));
  if (weighted === undefined) throw new Error('There is no fault to mix in.');
  const rounds: VirtualRound[] = [];
  let fault: VirtualFaultName | 'none' = 'none';
  const outcome = (): VirtualOutcome => {
    const { campaigns, root, events } = scene.fold.expected();
    const { contract, counts } = scene.chain;
    return {
      ...{ seed, steps: scene.steps, rounds, calls: counts, events, root },
      ...{ sales: contract.sales.length, campaigns: campaigns.size, reads: scene.checks.reads },
    };
  };
  try {
    await scene.open();
    await prepare?.(scene);
    while (scene.steps < steps) {
      const started = performance.now();
      scene.play(scene.dice.between(Math.ceil(stepsPerFault / 2), Math.ceil(stepsPerFault * 1.5)));
      fault = scene.dice.weighted(weighted).name;
      const happened = await virtualFaults[fault].run(scene);
      scene.play(scene.dice.between(1, 30));
      await scene.settle();
      await scene.checks.check(rounds.length % AUDIT_ROUNDS === 0);
      const ms = Math.round(performance.now() - started);
      const { steps: step, chain } = scene;
      const round = { step, blockNumber: chain.head.number, fault, happened, ms };
      rounds.push(round);
      onRound?.(round);
    }
    await scene.repair();
    await scene.checks.check(true);
    return outcome();
  } catch (error) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { ...outcome(), failure: { step: scene.steps, fault, message } };
  }
}
