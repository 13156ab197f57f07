/** States of an RPC, by its latest answers. */
export const rpcStates = [
  'ok',
  'unused',
  'rate-limited',
  'refused',
  'unreachable',
  'other-chain',
  'behind',
] as const;
export type RpcState = (typeof rpcStates)[number];

/** Health of one URL of `RPC_URL`, as one part sees it. It holds nothing of the URL: some providers put keys in hosts. */
export interface RpcHealth {
  /** Place of the URL in `RPC_URL`, from 1. */
  readonly place: number;
  readonly state: RpcState;
  /** Start of the state. */
  readonly since: Date;
  /** Until when the RPC has asked to be left alone; `null` if it has not said so. */
  readonly until: Date | null;
  /** Most blocks of one `eth_getLogs` that it has answered after it refused more; `null` if it refused none. */
  readonly maxLogBlocks: number | null;
  /** Answers that differed from those of other URLs. */
  readonly disagreements: number;
  readonly lastDisagreement: { readonly at: Date; readonly about: string } | null;
}

/** A sentence fragment about each state, for logs, alarms and people. */
const DESCRIPTIONS: Readonly<Record<RpcState, string>> = {
  ok: 'responds',
  unused: 'has not been asked yet',
  'rate-limited': 'limits requests',
  refused: 'refuses requests',
  unreachable: 'does not respond',
  'other-chain': 'is of another chain',
  behind: 'is behind the others',
};

/** Says what an RPC does, without its address: "RPC 2 of RPC_URL limits requests". */
export function describeRpc({
  place,
  state,
  until,
}: Pick<RpcHealth, 'place' | 'state' | 'until'>): string {
  const wait = until === null ? '' : ` until ${until.toISOString()}`;
  return `RPC ${place} of RPC_URL ${DESCRIPTIONS[state]}${wait}`;
}
