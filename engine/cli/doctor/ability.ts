/** Name of something that `tributary doctor` finds out about an RPC. */
export type AbilityName =
  | ('answers' | 'chain' | 'history' | 'head' | 'finality' | 'batches' | 'logs' | 'block-logs')
  | ('receipts' | 'blooms' | 'bundles' | 'state' | 'proofs' | 'websocket' | 'rate' | 'agreement');

/**
 * - `ok`: the RPC can do it.
 * - `lack`: it cannot, and Tributary works without it, at a cost.
 * - `missing`: it cannot, and Tributary does not work with this RPC.
 * - `unknown`: it refused or did not answer, which says nothing.
 */
export type AbilityStatus = 'ok' | 'lack' | 'missing' | 'unknown';

/** Something that an RPC can do, or cannot. */
export interface Ability {
  readonly name: AbilityName;
  readonly status: AbilityStatus;
  /** True if Tributary does not work with an RPC without it. */
  readonly isNeeded: boolean;
  /** Finding as a part of a sentence, without secrets. It may hold words of the RPC. */
  readonly found: string;
  /** Sentence with what it costs that the RPC cannot do it. */
  readonly cost?: string;
  /** Variables to set, and to what. */
  readonly set?: Readonly<Record<string, string>>;
}

/** Abilities that Tributary needs of an RPC. */
const NEEDED: ReadonlySet<AbilityName> = new Set([
  ...(['answers', 'chain', 'history', 'batches', 'logs', 'block-logs', 'receipts'] as const),
  ...(['state', 'agreement'] as const),
]);

/** Status, and what an ability says about a lack. */
type Rest = Pick<Ability, 'cost' | 'set'>;

/** An ability that the RPC has. */
export function has(name: AbilityName, found: string, rest: Rest = {}): Ability {
  return { name, status: 'ok', isNeeded: NEEDED.has(name), found, ...rest };
}

/** An ability that the RPC lacks, and that Tributary can do without. */
export function lacks(name: AbilityName, found: string, rest: Rest): Ability {
  return { name, status: 'lack', isNeeded: NEEDED.has(name), found, ...rest };
}

/** An ability that the RPC lacks, and that Tributary needs. */
export function misses(name: AbilityName, found: string, rest: Rest): Ability {
  return { name, status: 'missing', isNeeded: true, found, ...rest };
}

/** An ability of which nothing is known, because the RPC refused or did not answer. */
export function unknown(name: AbilityName, found: string): Ability {
  return { name, status: 'unknown', isNeeded: NEEDED.has(name), found };
}
