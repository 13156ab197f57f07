import { numberToHex } from 'viem';
import { type Ability, type AbilityName, has, lacks, misses, unknown } from '../ability.ts';
import type { Answer } from '../asker.ts';
import { grouped, type Subject } from '../subject.ts';

/** Blocks below the newest one at which state is asked for, before the oldest. */
const DEPTHS = [0, 128, 10_000] as const;

/** Texts of nodes for a state that they no longer have, whatever the code. */
const GONE =
  /missing trie node|state .*(?:not available|unavailable|not found)|too old|proof window|archive|historical|prune/i;

const OLDER =
  'Older receipts cannot be verified as of their block, and `verify-contract` does not find START_BLOCK.';

/** Finds out how old the state may be that the RPC reads. */
export async function stateOf(subject: Subject): Promise<Ability> {
  const { oldest, failure, isAll } = await deepest(subject, 'eth_getBalance', []);
  if (oldest === undefined) {
    const found = `none: it ${failure?.reason}`;
    if (failure?.kind !== 'no') return unknown('state', found);
    // A node behind a balancer may not have the block yet.
    const latest = await subject.asker.ask('eth_getBalance', [subject.address, 'latest']);
    if (latest.kind === 'value') {
      return lacks('state', `of the newest block alone: it ${failure.reason}`, { cost: OLDER });
    }
    if (latest.kind !== 'no') return unknown('state', found);
    return misses('state', found, {
      cost: 'Neither audits nor checkouts can ask the contract.',
      set: { RPC_URL: 'an RPC with state' },
    });
  }
  if (isAll) return has('state', `back to block ${grouped(oldest)}`);
  return limited('state', subject, { oldest, failure }, { cost: OLDER });
}

/** Finds out for which blocks the RPC proves state. */
export async function proofsOf(subject: Subject): Promise<Ability> {
  const { oldest, failure, isAll } = await deepest(subject, 'eth_getProof', [[]]);
  const cost = 'No cost: no part of Tributary asks for eth_getProof.';
  if (oldest === undefined) {
    const found = `none: it ${failure?.reason}`;
    return failure?.kind === 'no' ? lacks('proofs', found, { cost }) : unknown('proofs', found);
  }
  if (isAll) return has('proofs', `back to block ${grouped(oldest)}`);
  return limited('proofs', subject, { oldest, failure }, { cost });
}

type Failure = Exclude<Answer, { kind: 'value' }>;

function limited(
  name: AbilityName,
  { newest }: Subject,
  { oldest, failure }: { readonly oldest: number; readonly failure: Failure | undefined },
  rest: { readonly cost: string },
): Ability {
  const found = `${grouped(newest - oldest)} blocks back, not further: it ${failure?.reason}`;
  if (failure?.kind === 'no') return lacks(name, found, rest);
  return { ...unknown(name, found), isNeeded: false };
}

/** The oldest block at which a method is answered, of a few; they stop at the first that is not. */
async function deepest(
  { asker, address, newest, expected: { startBlock = 1 } }: Subject,
  method: string,
  middle: readonly unknown[],
): Promise<{
  readonly oldest?: number;
  readonly failure?: Failure;
  readonly isAll: boolean;
}> {
  const last = Math.min(startBlock, newest);
  const blocks = DEPTHS.map((depth) => newest - depth).filter((number) => number > last);
  let oldest: number | undefined;
  for (const number of [...blocks, last]) {
    const answer = await asker.ask(method, [address, ...middle, numberToHex(number)]);
    if (answer.kind !== 'value')
      return { ...(oldest !== undefined && { oldest }), failure: gone(answer), isAll: false };
    oldest = number;
  }
  return { oldest: last, isAll: true };
}

/** A refusal that says that the state is too old is an answer. */
function gone(failure: Failure): Failure {
  const isGone = failure.kind === 'unknown' && !failure.isRateLimit && GONE.test(failure.reason);
  return isGone ? { kind: 'no', reason: failure.reason } : failure;
}
