import type { PrimaryState } from '../../db/read/replication/primary.ts';
import type { StandbyState } from '../../db/read/replication/standby.ts';

/** Maximum age in milliseconds of a replica's data, except the settled head, which is never old. */
export const MAX_LAG_MS = 1_000;

/** Requirements of one read. */
export interface ReadNeeds {
  /** The settled head of the primary, read after the request came. */
  readonly primary: Pick<PrimaryState, 'version' | 'isUnsettled'>;
  /** Position that must have been replayed: that of the client's last write, and of the migrations. */
  readonly position: bigint;
  /** Milliseconds within which commits may be missing on the replica. */
  readonly lagMs: number;
}

/** True if a replica has everything that a read needs: exactly the primary's settled head above all. */
export function canAnswer(
  { version, replayed }: Pick<StandbyState, 'version' | 'replayed'>,
  { primary, position, lagMs }: ReadNeeds,
): boolean {
  return (
    primary.version !== null &&
    primary.isUnsettled !== true &&
    version === primary.version &&
    replayed >= position &&
    lagMs <= MAX_LAG_MS
  );
}
