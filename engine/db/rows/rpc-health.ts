import type { RpcState } from '../../core/rpc-health.ts';
import { as, date, integer, nullable, rowCodec, small, text, type View } from '../row.ts';

/** The parts that ask RPCs all the time. */
export type RpcPart = 'indexer' | 'worker';

/** Health of one URL of `RPC_URL`, as a part last wrote it. */
export const rpcHealthRow = rowCodec({
  part: as<RpcPart>(),
  place: small,
  state: as<RpcState>(),
  since: date,
  until: nullable(date),
  maxLogBlocks: nullable(small),
  disagreements: integer,
  disagreedAt: nullable(date),
  disagreedAbout: nullable(text),
  /** When the part wrote it: it does so at each change, and every minute. */
  seenAt: date,
});

export type StoredRpcHealth = View<typeof rpcHealthRow>;
