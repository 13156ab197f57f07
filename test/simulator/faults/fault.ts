import type { History } from '../chain/history.ts';
import type { Checks } from '../check/check.ts';
import type { Dice } from '../dice.ts';
import type { System } from '../parts/system.ts';

/** Parts of the simulation that a fault may act on. */
export interface Scene {
  readonly history: History;
  readonly system: System;
  readonly checks: Checks;
  /** The faults' own numbers: the history's go on undisturbed. */
  readonly dice: Dice;
}

/** Something that goes wrong, and is over when its promise resolves. */
export interface Fault {
  /** How often it comes, in relation to the others. */
  readonly weight: number;
  /** Needs a simulation on Redis. */
  readonly redis?: true;
  /** Not in the default mix: it has to be asked for by name, and `test/simulator/README.md` says why. */
  readonly onRequest?: true;
  /** Answers what it did, in a few words. */
  run(scene: Scene): Promise<string>;
}
