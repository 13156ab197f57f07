import { describeRpc, type RpcHealth } from '../core/rpc-health.ts';
import type { Pool } from '../db/connection.ts';
import type { LeaderToken } from '../db/leadership.ts';
import type { RpcPart } from '../db/rows/rpc-health.ts';
import { writeRpcHealth } from '../db/write/rpc-health.ts';

/** Milliseconds between two looks at what has changed, and between two writes while nothing does. */
const LOOK_MS = 5_000;
const HEARTBEAT_MS = 60_000;

/** Log that changes are written to. */
interface HealthLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** States of an RPC that need no attention. */
const WELL: ReadonlySet<RpcHealth['state']> = new Set(['ok', 'unused']);

/** Input of `rpcHealthReporter`. */
export interface RpcHealthReport {
  readonly pool: Pool;
  readonly part: RpcPart;
  /** Without it nothing is logged: another process has done so. */
  readonly log?: HealthLog;
  /** Reads the health of all URLs. */
  readonly read: () => readonly RpcHealth[];
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
}

/**
 * Makes a function that reports what a process knows of its RPCs, as often as it is called: one line of the log for
 * each URL whose state has changed, and one write to the database after a change, or after a minute.
 */
export function rpcHealthReporter({
  pool,
  part,
  log,
  read,
  clock = () => performance.now(),
}: RpcHealthReport): (leader?: LeaderToken) => Promise<void> {
  const logged = new Map<number, RpcHealth>();
  let written = '';
  let [lookedAt, writtenAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

  function logChanges(rpcs: readonly RpcHealth[]): void {
    if (log === undefined) return;
    for (const rpc of rpcs) {
      const before = logged.get(rpc.place);
      logged.set(rpc.place, rpc);
      const isFirst = before === undefined || before.state === 'unused';
      if (before?.state === rpc.state || (isFirst && WELL.has(rpc.state))) continue;
      const { place, state } = rpc;
      log[WELL.has(state) ? 'info' : 'warn']({ rpc: place, state }, describeRpc(rpc));
    }
  }

  return async (leader) => {
    const now = clock();
    if (now - lookedAt < LOOK_MS) return;
    lookedAt = now;
    const rpcs = read();
    logChanges(rpcs);
    const text = JSON.stringify(rpcs);
    if (text === written && now - writtenAt < HEARTBEAT_MS) return;
    await writeRpcHealth(pool, part, rpcs, leader);
    [written, writtenAt] = [text, now];
  };
}
