import { type Availability, watchServer } from '../../db/availability.ts';
import {
  closePool,
  connectionLosses,
  openPool,
  type Pool,
  sessionName,
} from '../../db/connection.ts';
import {
  databaseIdentity,
  readStandbyState,
  type StandbyState,
} from '../../db/read/replication/standby.ts';
import { readSettings } from '../../db/read/snapshot.ts';
import { LongReads } from '../limits/long-reads.ts';
import { SharedRead } from '../shared-read.ts';

/** Connections to one replica at most: as many as to the primary for the same requests. */
export interface ReplicaConnections {
  readonly reads: number;
  readonly longReads: number;
}

/** Why a replica answers nothing: it does not respond, is no standby, or is no copy of this database. */
export type Unusable = 'away' | 'no-standby' | 'other-database';

/** Milliseconds between two questions for the state, in addition to the probes. */
const MIN_REFRESH_MS = 10;

/** One standby: its connections, and what it had replayed when it was asked last. */
export class Replica {
  readonly pool: Pool;
  readonly longReads: LongReads;
  /** Reads that are running on it. */
  running = 0;
  readonly #identity: string;
  readonly #availability: Availability;
  readonly #state: SharedRead<StandbyState | undefined>;
  readonly #losses: () => number;
  #known: { readonly state: StandbyState; readonly losses: number } | undefined;
  #unusable: Unusable | undefined = 'away';
  /** Lost connections when the identity was compared last. */
  #identified: number | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param name for logs and metrics: its number in `DATABASE_REPLICA_URLS`.
   * @param identity that of the primary (`databaseIdentity`).
   */
  constructor(
    readonly name: string,
    databaseUrl: string,
    identity: string,
    connections: ReplicaConnections,
  ) {
    const open = (max: number, keep: number) =>
      openPool(databaseUrl, {
        ...{ max, keep, settings: readSettings },
        applicationName: sessionName('api'),
      });
    const longReadPool = open(connections.longReads, 0);
    this.#identity = identity;
    this.pool = open(connections.reads, 1);
    this.longReads = new LongReads(longReadPool);
    this.#losses = () => connectionLosses(this.pool) + connectionLosses(longReadPool);
    this.#state = new SharedRead(() => readStandbyState(this.pool));
    this.#availability = watchServer({
      databaseUrl,
      pools: [this.pool, longReadPool],
      ask: (probe) => this.#probe(probe),
    });
  }

  /** Newest known state; `undefined` while it cannot be used. What it says is reached stays reached. */
  get state(): StandbyState | undefined {
    if (this.unusable !== undefined) return undefined;
    return this.#known?.losses === this.#losses() ? this.#known.state : undefined;
  }

  get unusable(): Unusable | undefined {
    return this.#availability.away ? 'away' : this.#unusable;
  }

  /** Asks for the state now, instead of at the next probe. The caller does not wait for it. */
  refresh(): void {
    const now = performance.now();
    if (this.unusable !== undefined || now - this.#refreshedAt < MIN_REFRESH_MS) return;
    this.#refreshedAt = now;
    const losses = this.#losses();
    this.#state.next().then(
      (state) => this.#accept(state, losses),
      () => {},
    );
  }

  async close(): Promise<void> {
    await this.#availability.close();
    await Promise.all([closePool(this.pool), closePool(this.longReads.pool)]);
  }

  async #probe(probe: Pool): Promise<void> {
    const losses = this.#losses();
    try {
      if (this.#identified !== losses) {
        const isOther = (await databaseIdentity(probe)) !== this.#identity;
        this.#identified = isOther ? undefined : losses;
        if (isOther) {
          this.#refuse('other-database');
          return;
        }
      }
      this.#accept(await readStandbyState(probe), losses);
    } catch (error) {
      this.#identified = undefined;
      this.#refuse('away');
      throw error;
    }
  }

  #accept(state: StandbyState | undefined, losses: number): void {
    if (state === undefined) {
      this.#refuse('no-standby');
      return;
    }
    this.#unusable = undefined;
    // Two answers may arrive in another order than they were given.
    const isNewest = this.state === undefined || this.state.replayed <= state.replayed;
    if (isNewest) this.#known = { state, losses };
  }

  #refuse(why: Unusable): void {
    this.#unusable = why;
    this.#known = undefined;
  }
}
