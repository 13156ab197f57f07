import type { SaleState } from '../../core/fold/index.ts';
import type { ReceiptNode } from '../../core/receipt.ts';
import type { DecodedLog } from '../chain/decode.ts';

/** The events of a sale, and everything needed to check them. */
export interface History {
  readonly record: DecodedLog<'SaleRecorded'>;
  /** Every event of the sale, oldest first. */
  readonly events: readonly DecodedLog[];
  /** The rewarded nodes; `undefined` if they could not be read, and then they are not compared. */
  readonly path: readonly ReceiptNode[] | undefined;
  /** Unix seconds of the events that closed the sale; `undefined` and `null` are not checked. */
  readonly finalizedAt: number | null | undefined;
  readonly reversedAt: number | null | undefined;
  /** Claims of the recipients between those events; `undefined` if they could not be read. */
  readonly claims: readonly DecodedLog<'RewardsClaimed'>[] | undefined;
}

/** Amounts of one level while the events are applied, base units. */
export interface Level {
  readonly share: bigint;
  reserved: bigint;
  /** Its RewardVested. */
  vested: DecodedLog<'RewardVested'> | undefined;
  reversed: bigint;
}

/** State of a sale while its events are applied, and the problems found so far. */
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

/** An event that moves a level's reward. */
export type LevelLog =
  | DecodedLog<'RewardReleased'>
  | DecodedLog<'RewardVested'>
  | DecodedLog<'RewardReversed'>;

/** The state of a sale before its first event. */
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

/** Reports a problem if the sale is not in the state that an event requires. */
export function expectState(walk: Walk, log: DecodedLog, expected: Walk['state']): void {
  if (walk.state !== expected) {
    walk.problems.push(`${log.name} followed while the sale was ${walk.state}, not ${expected}.`);
  }
}
