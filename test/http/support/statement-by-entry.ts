import type { Client } from '../../../engine/client/index.ts';
import type { Fact } from '../../../engine/core/events.ts';

type Statement = Awaited<ReturnType<Client['statements']['earnings']>>['data'];
type Amounts = Pick<Statement['byToken'][number], 'opening' | 'movements' | 'closing'>;

/** The movement that an entry of a kind is. */
const movementOf = {
  reserve: 'earned',
  release: 'refunded',
  vest: 'vested',
  claim: 'claimed',
  reverse: 'reversed',
} as const;

/** A movement or missed reward of an account. */
export interface Moved {
  readonly token: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly what: keyof Amounts['movements'];
  readonly amount: bigint;
}

/** All movements of an account's rewards, from its entries one by one, and its missed rewards. */
export async function movementsOf(
  client: Client,
  account: `0x${string}`,
  campaigns: ReadonlyMap<string, string>,
  facts: readonly Fact[],
): Promise<Moved[]> {
  const times = new Map(facts.map((fact) => [String(fact.blockNumber), fact.timestamp * 1_000]));
  const found: Moved[] = [];
  for (const [campaignId, token] of campaigns) {
    const entries = client.pages(client.ledger.entries, { campaignId, account, limit: 100 });
    for await (const { kind, amount, tx } of entries) {
      if (kind === 'return') throw new Error('The history has a discrepancy.');
      const at = times.get(tx.blockNumber) ?? 0;
      found.push({ token, at, what: movementOf[kind], amount: BigInt(amount) });
    }
  }
  for await (const missed of client.pages(client.earnings.missed, { limit: 100 })) {
    const at = Date.parse(missed.recordedAt);
    const { token, amount } = missed;
    found.push({ token: token.address, at, what: 'missed', amount: BigInt(amount) });
  }
  return found;
}

/** What a statement of these periods must say, added up from single movements. */
export function statementOf(
  all: readonly Moved[],
  token: string,
  periods: readonly { readonly from: string; readonly to: string }[],
): Amounts & { readonly periods: (Amounts & { from: string; to: string })[] } {
  const own = all.filter((moved) => moved.token === token);
  const between = (from: number, to: number): Amounts => ({
    opening: balances(own.filter(({ at }) => at < from)),
    movements: movements(own.filter(({ at }) => at >= from && at < to)),
    closing: balances(own.filter(({ at }) => at < to)),
  });
  const first = Date.parse(periods[0]?.from ?? '');
  const last = Date.parse(periods.at(-1)?.to ?? '');
  const lines = periods.map(({ from, to }) => ({
    ...{ from, to },
    ...between(Date.parse(from), Date.parse(to)),
  }));
  const moved = lines.filter((line) => Object.values(line.movements).some((one) => one !== '0'));
  return { ...between(first, last), periods: moved };
}

function movements(moved: readonly Moved[]): Amounts['movements'] {
  const of = (what: Moved['what']) => totalOf(moved, what).toString();
  return {
    ...{ earned: of('earned'), refunded: of('refunded'), vested: of('vested') },
    ...{ claimed: of('claimed'), reversed: of('reversed'), missed: of('missed') },
  };
}

function balances(moved: readonly Moved[]): Amounts['opening'] {
  const of = (what: Moved['what']) => totalOf(moved, what);
  return {
    reserved: (of('earned') - of('refunded') - of('vested')).toString(),
    claimable: (of('vested') - of('claimed') - of('reversed')).toString(),
    claimed: of('claimed').toString(),
    refunded: of('refunded').toString(),
    reversed: of('reversed').toString(),
  };
}

function totalOf(moved: readonly Moved[], what: Moved['what']): bigint {
  return moved.reduce((sum, one) => (one.what === what ? sum + one.amount : sum), 0n);
}
