import type { Logger } from 'pino';
import type { Pool } from '../../db/connection.ts';
import {
  type PrimaryState,
  readPrimaryState,
  writtenPosition,
} from '../../db/read/replication/primary.ts';
import { databaseIdentity } from '../../db/read/replication/standby.ts';
import { SharedRead } from '../shared-read.ts';
import { canAnswer, MAX_LAG_MS } from './can-answer.ts';
import { PositionHistory } from './position-history.ts';
import { Replica, type ReplicaConnections, type Unusable } from './replica.ts';
import type { Seen } from './written-cookie.ts';

/** Milliseconds between two positions of the primary that are asked for if no request does. */
const WATCH_MS = 250;

/** SQLSTATE of a statement that took too long: on the primary it would, too. */
const STATEMENT_TIMEOUT = '57014';

export interface ReplicaOptions {
  /** Connections to the primary. */
  readonly primary: Pool;
  /** URLs of its standbys, each of one server. */
  readonly urls: readonly string[];
  readonly connections: ReplicaConnections;
  readonly logger: Logger;
}

/** The ways to make one read. */
export interface ReadWays<T> {
  readonly onPrimary: () => Promise<T>;
  readonly onReplica: (replica: Replica) => Promise<T>;
}

/** Result of a read; if a replica answered, with a position that it had replayed. */
export type Answered<T> = T & { readonly replayed?: bigint | undefined };

/** The part of a result that names the block that the ledger was read as of. */
interface AsOfBlock {
  readonly chain?: { readonly blockNumber: string } | undefined;
}

/** Numbers of reads that a replica could have answered, by who did. */
interface ReadCounts {
  /** No replica had reached what was needed. */
  primary: number;
  /** A replica failed or found nothing, and the primary was asked again. */
  repeated: number;
  /** By replica, in the order of their names. */
  readonly replicas: number[];
}

/** Why a replica answers nothing, or that it answers reads. */
type Condition = Unusable | 'behind' | 'in-use';

/** State of one replica, as this process knows it. */
export interface ReplicaState {
  /** Its number in `DATABASE_REPLICA_URLS`. */
  readonly name: string;
  readonly state: Condition;
  /** Blocks that it is behind the newest known settled block; `null` while that is not known. */
  readonly lagBlocks: number | null;
}

/**
 * Standbys of the primary that answer reads in its place (docs/operate/replicas.md). For each read, the primary
 * is asked for its settled head, with one query for all waiting reads. A replica answers only if it has exactly
 * that head, is at most a second behind in everything else, and has what the client wrote itself. A read that
 * fails on a replica is made on the primary, so that no error comes from a replica.
 */
export class Replicas {
  readonly counts: ReadCounts;
  readonly #replicas: readonly Replica[];
  readonly #conditions = new Map<Replica, Condition>();
  readonly #logger: Logger;
  readonly #primary: SharedRead<PrimaryState | undefined>;
  readonly #history: PositionHistory;
  /** Position when this process began: it has the migrations that its statements need. */
  readonly #floor: bigint;
  readonly #timer: NodeJS.Timeout;

  private constructor(replicas: readonly Replica[], floor: bigint, options: ReplicaOptions) {
    this.#replicas = replicas;
    this.#floor = floor;
    this.#logger = options.logger;
    this.counts = { primary: 0, repeated: 0, replicas: replicas.map(() => 0) };
    const history = new PositionHistory();
    this.#history = history;
    this.#primary = new SharedRead(async () => {
      const at = performance.now();
      const state = await readPrimaryState(options.primary);
      if (state !== undefined) history.note(at, state.position);
      return state;
    });
    this.#timer = setInterval(() => void this.#watch(), WATCH_MS).unref();
  }

  /** Connects to the replicas. One that does not answer is used as soon as it does. */
  static async open(options: ReplicaOptions): Promise<Replicas> {
    const { primary, urls, connections } = options;
    const [identity, floor] = await Promise.all([
      databaseIdentity(primary),
      writtenPosition(primary),
    ]);
    const replicas = urls.map(
      (url, index) => new Replica(String(index + 1), url, identity, connections),
    );
    return new Replicas(replicas, floor, options);
  }

  /** State of the primary, read after this call. @returns `undefined` if it is a standby. */
  async primaryState(): Promise<PrimaryState | undefined> {
    return await this.#primary.next();
  }

  /** States of all replicas, in the order of their names. */
  states(): readonly ReplicaState[] {
    const settled = this.#primary.last?.settledNumber ?? null;
    return this.#replicas.map((replica) => {
      const number = replica.state?.settledNumber ?? null;
      const isKnown = settled !== null && number !== null;
      return {
        name: replica.name,
        state: this.#conditionOf(replica),
        lagBlocks: isKnown ? Math.max(0, settled - number) : null,
      };
    });
  }

  /** Makes a read on a replica that has everything it needs, otherwise on the primary. */
  async read<T extends AsOfBlock & object>(seen: Seen, ways: ReadWays<T>): Promise<Answered<T>> {
    const chosen = seen === 'everything' ? undefined : await this.#choose(seen);
    if (chosen === undefined) {
      this.counts.primary += 1;
      return await ways.onPrimary();
    }
    const { replica, replayed, settledNumber } = chosen;
    replica.running += 1;
    try {
      const result = await ways.onReplica(replica);
      if (await this.#isOnPrimary(result, settledNumber)) {
        const index = this.#replicas.indexOf(replica);
        this.counts.replicas[index] = (this.counts.replicas[index] ?? 0) + 1;
        return { ...result, replayed };
      }
    } catch (error) {
      if (codeOf(error) === STATEMENT_TIMEOUT) throw error;
    } finally {
      replica.running -= 1;
    }
    this.counts.repeated += 1;
    return await ways.onPrimary();
  }

  /** Position that has every write that is committed now; `undefined` if the primary does not say. */
  async written(): Promise<bigint | undefined> {
    return (await this.#primary.next().catch(() => undefined))?.position;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  /** The least busy replica that has the settled head of the primary and that position. */
  async #choose(seen: bigint) {
    if (this.#replicas.every(({ state }) => state === undefined)) return undefined;
    // The primary's own error is that of the read.
    const primary = await this.#primary.next().catch(() => undefined);
    if (primary === undefined || primary.settledNumber === null) return undefined;
    const { settledNumber } = primary;
    const position = seen > this.#floor ? seen : this.#floor;
    let best: { replica: Replica; replayed: bigint; settledNumber: number } | undefined;
    for (const replica of this.#replicas) {
      const { state } = replica;
      if (state === undefined) continue;
      if (!canAnswer(state, { primary, position, lagMs: this.#lagMs(state.replayed) })) {
        replica.refresh();
        continue;
      }
      if (best !== undefined && !isLessBusy(replica, best.replica, this.counts.replicas)) continue;
      best = { replica, replayed: state.replayed, settledNumber };
    }
    return best;
  }

  /**
   * True if the primary shows the block of a result, too. A standby can show a commit shortly before the primary
   * does; then a later read of the primary would be of an earlier block.
   */
  async #isOnPrimary({ chain }: AsOfBlock, settledNumber: number): Promise<boolean> {
    if (chain === undefined || Number(chain.blockNumber) <= settledNumber) return true;
    const primary = await this.#primary.next();
    return Number(chain.blockNumber) <= (primary?.settledNumber ?? -1);
  }

  #lagMs(replayed: bigint): number {
    return this.#history.lagMs(replayed, performance.now());
  }

  #conditionOf(replica: Replica): Condition {
    const { unusable, state } = replica;
    if (unusable !== undefined) return unusable;
    return state === undefined || this.#lagMs(state.replayed) > MAX_LAG_MS ? 'behind' : 'in-use';
  }

  /** Notes a position of the primary, and logs what has changed. */
  async #watch(): Promise<void> {
    await this.#primary.next().catch(() => undefined);
    for (const replica of this.#replicas) {
      const condition = this.#conditionOf(replica);
      if (this.#conditions.get(replica) === condition) continue;
      this.#conditions.set(replica, condition);
      const details = { replica: replica.name };
      if (condition === 'in-use') this.#logger.info(details, 'the replica is in use');
      else this.#logger.warn(details, `the replica is not used: ${reasons[condition]}`);
    }
  }
}

const reasons: Readonly<Record<Exclude<Condition, 'in-use'>, string>> = {
  away: 'it does not respond',
  behind: `it is more than ${MAX_LAG_MS} ms behind`,
  'no-standby': 'it is no standby; if it was promoted, name it in DATABASE_URL',
  'other-database': 'it is no copy of the database of DATABASE_URL',
};

/** True if the first has fewer running reads, or as many and has answered fewer. */
function isLessBusy(one: Replica, other: Replica, answered: readonly number[]): boolean {
  if (one.running !== other.running) return one.running < other.running;
  const count = ({ name }: Replica) => answered[Number(name) - 1] ?? 0;
  return count(one) < count(other);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
