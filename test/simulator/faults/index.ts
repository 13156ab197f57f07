import type { Fault } from './fault.ts';
import { fleetFaults } from './fleet.ts';
import { forkFaults } from './forks.ts';
import { hostileFaults } from './hostile.ts';
import { kills } from './kills.ts';
import { outages } from './outages.ts';
import { queueFaults } from './queue.ts';
import { reorgs } from './reorgs.ts';
import { rpcFaults } from './rpc.ts';
import { storageFaults } from './storage.ts';

/** Everything that can go wrong in a simulation, by the name that `--only` takes. */
const all = {
  ...reorgs,
  ...forkFaults,
  ...outages,
  ...hostileFaults,
  ...rpcFaults,
  ...kills,
  ...storageFaults,
  ...queueFaults,
  ...fleetFaults,
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof all;
export const faults: Readonly<Record<FaultName, Fault>> = all;

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faults, name);
}

/** Object.keys knows the names of a constant object no better than by this type. */
export const faultNames = Object.keys(all) as readonly FaultName[];

/** The faults of a simulation by default: all that fit, except those that must be requested. */
export function defaultMix(redis: boolean): FaultName[] {
  return faultNames.filter((name) => {
    const fault = faults[name];
    return fault.onRequest !== true && (redis || fault.redis !== true);
  });
}
