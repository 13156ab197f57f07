import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomHistory, seeded } from '../../test/support/history.ts';
import { type CampaignLedger, emptyLedger, ledgerFields } from './campaign.ts';
import { type Fact, FactError } from './events.ts';
import { type Applied, apply, emptyCampaign } from './fold/index.ts';
import { applyMovement, movementsOf, movingEvents } from './movements.ts';

/** The events of each campaign, folded. */
function foldAll(facts: readonly Fact[]): Applied[][] {
  return [...new Set(facts.map(({ campaignId }) => campaignId))].map((campaignId) => {
    let state = emptyCampaign(campaignId);
    return facts
      .filter((fact) => fact.campaignId === campaignId)
      .flatMap((fact) => {
        try {
          const next = apply(state, fact);
          state = next.state;
          return [next.applied];
        } catch (error) {
          // A lie may leave out what everything begins with: then the campaign has no history.
          if (error instanceof FactError) return [];
          throw error;
        }
      });
  });
}

/** A chain that lies: amounts that differ, events that are missing, and events that come twice. */
function withLies(facts: readonly Fact[], seed: number): Fact[] {
  const random = seeded(seed);
  return facts.flatMap((fact): Fact[] => {
    const dice = random();
    if (fact.name === 'CampaignCreated' || dice > 0.2) return [fact];
    if (dice < 0.05) return [];
    if (dice < 0.1) return [fact, fact];
    return [scaled(fact, BigInt(Math.floor(random() * 3_000)))];
  });
}

/** The event with its amount multiplied by thousandths / 1,000. */
function scaled(fact: Fact, thousandths: bigint): Fact {
  switch (fact.name) {
    case 'SaleRecorded': {
      const shares = fact.args.shares.map((share) => (share * thousandths) / 1_000n);
      return { ...fact, args: { ...fact.args, shares } };
    }
    case 'RewardReleased':
    case 'RewardVested':
    case 'RewardReversed':
      return { ...fact, args: { ...fact.args, amount: (fact.args.amount * thousandths) / 1_000n } };
    case 'RewardsClaimed':
    case 'ProceedsClaimed':
    case 'CampaignFunded':
      return { ...fact, args: { ...fact.args, amount: (fact.args.amount * thousandths) / 1_000n } };
    case 'SaleRefunded':
      return { ...fact, args: { ...fact.args, amount: (fact.args.amount * thousandths) / 1_000n } };
    default:
      return fact;
  }
}

/** Movements of a history, each event's applied to the ledger that the ones before it gave. */
function expectReproduced(applied: readonly Applied[]): number {
  let reported: CampaignLedger = emptyLedger;
  let before: CampaignLedger = emptyLedger;
  let discrepancies = 0;
  for (const { fact, snapshot, seq, discrepancies: found } of applied) {
    const movements = movementsOf(before, snapshot.ledger);
    reported = movements.reduce(applyMovement, reported);
    expect(reported, `${fact.name} at seq ${seq}`).toEqual(snapshot.ledger);
    if (movements.length > 0) expect(movingEvents).toContain(fact.name);
    for (const { amount } of movements) expect(amount > 0n).toBe(true);
    before = snapshot.ledger;
    discrepancies += found.length;
  }
  return discrepancies;
}

describe('movements', () => {
  it('movements add up to the ten amounts of the ledger after each event of any history', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        for (const applied of foldAll(randomHistory({ seed, steps: 150, campaigns: 2 }))) {
          expect(expectReproduced(applied)).toBe(0);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('movements add up even if the chain contradicts the fold, so that a discrepancy stays visible', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        let discrepancies = 0;
        const facts = withLies(randomHistory({ seed, steps: 150, campaigns: 2 }), seed + 1);
        for (const applied of foldAll(facts)) discrepancies += expectReproduced(applied);
        // Lies that change nothing prove nothing.
        fc.pre(discrepancies > 0);
      }),
      { numRuns: 30 },
    );
  });

  it('movements show that a reward beyond its reserve came from the available budget', () => {
    const before = ledger({ available: 100n, pendingReserved: 20n });
    const after = ledger({ available: 90n, pendingReserved: 0n, vestedUnclaimed: 30n });
    expect(movementsOf(before, after)).toEqual([
      { from: 'available', to: 'vestedUnclaimed', amount: 10n },
      { from: 'pendingReserved', to: 'vestedUnclaimed', amount: 20n },
    ]);
  });

  it('movements never mix rewards with proceeds', () => {
    const before = ledger({ available: 100n });
    const after = ledger({ available: 90n, pendingReserved: 10n, proceedsPending: 500n });
    expect(movementsOf(before, after)).toEqual([
      { from: 'available', to: 'pendingReserved', amount: 10n },
      { from: null, to: 'proceedsPending', amount: 500n },
    ]);
  });

  it('movements cover every bucket except the total of the deposits', () => {
    const folded = ledgerFields.filter((field) => field !== 'netDeposited');
    for (const field of folded) {
      const [movement] = movementsOf(emptyLedger, ledger({ [field]: 7n }));
      expect(movement).toEqual({ from: null, to: field, amount: 7n });
    }
  });
});

function ledger(changes: Partial<CampaignLedger>): CampaignLedger {
  return { ...emptyLedger, ...changes };
}
