import { cpuMsOf, endedCpuMsOf } from '../harness/cpu.ts';
import { type Loaded, load, type Requested } from './load.ts';
import type { Served } from './processes.ts';

/** A load, and the processor time that its requests took. */
export interface LoadedCpu extends Loaded {
  /** Milliseconds per request of the server's process; `null` without `/proc`. */
  readonly nodeMs: number | null;
  /** Milliseconds per request of PostgreSQL, all of its processes. */
  readonly postgresMs: number | null;
}

/** Puts a server under load, and measures the processor time of the server and of PostgreSQL. */
export async function loadCpu(
  { url, pid }: Served,
  postmaster: number,
  requested: Requested,
  seconds: number,
): Promise<LoadedCpu> {
  const used = async () => await Promise.all([cpuMsOf([pid]), postgresMsOf(postmaster)]);
  const before = await used();
  const loaded = await load(url, requested, seconds);
  const after = await used();
  const perRequest = (which: 0 | 1): number | null => {
    const [from, to] = [before[which], after[which]];
    return from === null || to === null ? null : (to - from) / Math.max(1, loaded.answered);
  };
  return { ...loaded, nodeMs: perRequest(0), postgresMs: perRequest(1) };
}

/** All processes of PostgreSQL, also of sessions that have ended: a server closes those that nothing uses. */
async function postgresMsOf(postmaster: number): Promise<number | null> {
  const [ended, running] = [await endedCpuMsOf(postmaster), await cpuMsOf([postmaster])];
  return ended === null || running === null ? null : ended + running;
}
