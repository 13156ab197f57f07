import type { SaleState } from '../../core/fold/index.ts';
import type { ReceiptNode } from '../../core/receipt.ts';
import type { ChainLog } from '../chain/decode.ts';

/** What the history of a sale is judged by. */
export interface History {
  readonly record: ChainLog<'SaleRecorded'>;
  /** Every event of the sale, oldest first. */
  readonly events: readonly ChainLog[];
  /** The rewarded nodes; `undefined` where they could not be read, and then they are not compared. */
  readonly path: readonly ReceiptNode[] | undefined;
  /** Unix seconds of the events that closed the sale; `undefined` and `null` are not judged. */
  readonly finalizedAt: number | null | undefined;
  readonly reversedAt: number | null | undefined;
  /** What the recipients claimed between them; `undefined` where it could not be read. */
  readonly claims: readonly ChainLog<'RewardsClaimed'>[] | undefined;
}

/** One level's money as the events move it, base units. */
export interface Level {
  readonly share: bigint;
  reserved: bigint;
  /** Its RewardVested. */
  vested: ChainLog<'RewardVested'> | undefined;
  reversed: bigint;
}

/** A sale on its way through its events. */
export interface Walk {
  readonly history: History;
  readonly problems: string[];
  readonly levels: readonly Level[];
  /** `unrecorded` before its SaleRecorded. */
  state: SaleState | 'unrecorded';
  attested: boolean;
  refundedTotal: bigint;
  /** Level events that no SaleRefunded, SaleFinalized or SaleReversed has closed yet. */
  open: LevelLog[];
}

export type LevelLog =
  | ChainLog<'RewardReleased'>
  | ChainLog<'RewardVested'>
  | ChainLog<'RewardReversed'>;

export function startWalk(history: History): Walk {
  return {
    history,
    problems: [],
    levels: history.record.args.shares.map((share) => ({
      share,
      reserved: share,
      vested: undefined,
      reversed: 0n,
    })),
    state: 'unrecorded',
    attested: false,
    refundedTotal: 0n,
    open: [],
  };
}

/** The sale must be in that state for the event to be possible. */
export function expectState(walk: Walk, log: ChainLog, expected: Walk['state']): void {
  if (walk.state !== expected) {
    walk.problems.push(`${log.name} came upon a sale that was ${walk.state}, not ${expected}.`);
  }
}
