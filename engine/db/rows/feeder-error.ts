import { as, integer, nullable, rowCodec, text, type View } from '../row.ts';

/** An error of the feeder's newest tick, without the time since which it lasts. */
export const feederErrorRow = rowCodec({
  name: as<'rpc' | 'other-chain' | 'disagreement' | 'mismatch' | 'orphaned'>(),
  /** The block that it is about, if it is about one. */
  blockNumber: nullable(integer),
  /** A sentence, without the addresses and keys of RPCs. */
  message: text,
});

export type FeederError = View<typeof feederErrorRow>;
