import type { Address } from 'viem';
import { describe, expect, it } from 'vitest';
import { blocklistTokenAbi, blocklistTokenBytecode } from '../../abis/test/blocklistToken.ts';
import { feeTokenAbi, feeTokenBytecode } from '../../abis/test/feeToken.ts';
import { misbehavingTokenAbi, misbehavingTokenBytecode } from '../../abis/test/misbehavingToken.ts';
import { shareAfterRefund } from '../../engine/core/split.ts';
import {
  act,
  createCampaigns,
  type Random,
  randomFrom,
  redirectedOrder,
} from '../contracts/random.ts';
import {
  by,
  type DecodedEvent,
  day,
  deploy,
  fortune,
  maxUint256,
  now,
  saleStatuses,
  sent,
  tokenAt,
  useWorld,
  type World,
} from '../contracts/support.ts';

const world = useWorld();
const stepsBetweenChecks = 50;

type Sums = { [name: string]: bigint };

/** A campaign's ledger, computed from events alone. */
function sumsOf(events: readonly DecodedEvent[], campaignId: bigint): Sums {
  const sums: Sums = {};
  for (const { name, args } of events) {
    if (!isOfCampaign(args, campaignId)) continue;
    const { amount } = args;
    const moved = name === 'SaleRecorded' ? args.shares : [amount];
    sums[name] = (sums[name] ?? 0n) + (moved ?? []).reduce<bigint>((a, b) => a + (b ?? 0n), 0n);
    if (name === 'SaleRecorded') sums.sold = (sums.sold ?? 0n) + (amount ?? 0n);
  }
  return sums;
}

type CampaignArgs = { campaignId: bigint; amount?: bigint; shares?: readonly bigint[] };

function isOfCampaign(args: unknown, campaignId: bigint): args is CampaignArgs {
  return (
    typeof args === 'object' &&
    args !== null &&
    'campaignId' in args &&
    args.campaignId === campaignId
  );
}

/**
 * Checks what must hold after each call: the contract counts what its ledgers owe, its balance covers
 * that, and the attester of campaign 3 is within its limits of the day unless they were lowered.
 */
async function checkSolvency(w: World, token: Address): Promise<void> {
  const [ledgers, counted, balance] = await Promise.all([
    Promise.all([1n, 2n, 3n].map((campaignId) => w.commerce.read.campaignLedger([campaignId]))),
    w.commerce.read.obligationsOf([token]),
    tokenAt(w.client, token).read.balanceOf([w.commerce.address]),
  ]);
  let owed = 0n;
  for (const l of ledgers) {
    const inVault = l.available + l.pendingReserved + l.vestedUnclaimed;
    expect(inVault + l.rewardsClaimed + l.surplusWithdrawn).toBe(l.netDeposited);
    owed += inVault + l.proceedsPending + l.proceedsClaimable + l.creditOutstanding;
  }
  expect(counted).toBe(owed);
  expect(balance).toBeGreaterThanOrEqual(counted);
}

type Attested = {
  limits: { perOrder: bigint; daily: bigint; expiry: bigint };
  day: bigint;
  sum: bigint;
};

/** Checks the sales that an attester attested against its limits, from events alone. */
function checkAttested(state: Attested, events: readonly DecodedEvent[], timestamp: bigint): void {
  for (const { name, args } of events) {
    if (!isOfCampaign(args, 3n)) continue;
    if (name === 'AttesterAllowed') state.limits = args as unknown as Attested['limits'];
    if (name !== 'SaleRecorded') continue;
    const today = timestamp / day;
    if (state.day !== today) Object.assign(state, { day: today, sum: 0n });
    state.sum += args.amount ?? 0n;
    expect(args.amount).toBeLessThanOrEqual(state.limits.perOrder);
    expect(state.sum).toBeLessThanOrEqual(state.limits.daily);
    expect(timestamp).toBeLessThan(state.limits.expiry);
  }
}

/** Checks both identities (docs/reference/protocol.md#amounts-that-add-up), and that the events alone give the same ledger. */
async function checkCampaign(w: World, events: readonly DecodedEvent[], campaignId: bigint) {
  const l = await w.commerce.read.campaignLedger([campaignId]);
  const paid = l.rewardsClaimed + l.surplusWithdrawn;
  expect(l.netDeposited).toBe(l.available + l.pendingReserved + l.vestedUnclaimed + paid);
  const s = sumsOf(events, campaignId);
  const of = (name: string) => s[name] ?? 0n;
  const proceeds = l.proceedsPending + l.proceedsClaimable + l.proceedsClaimed + l.buyerRefunded;
  expect(proceeds).toBe(campaignId === 1n ? of('sold') : 0n);
  expect(l.netDeposited).toBe(of('CampaignFunded'));
  expect(l.surplusWithdrawn).toBe(of('SurplusWithdrawn'));
  expect(l.rewardsClaimed).toBe(of('RewardsClaimed'));
  expect(l.proceedsClaimed).toBe(of('ProceedsClaimed'));
  expect(l.buyerRefunded).toBe(campaignId === 1n ? of('SaleRefunded') : 0n);
  expect(l.vestedUnclaimed).toBe(of('RewardVested') - of('RewardReversed') - of('RewardsClaimed'));
  expect(l.pendingReserved).toBe(of('SaleRecorded') - of('RewardReleased') - of('RewardVested'));
  let claimable = 0n;
  for (const account of w.nodes) {
    claimable += await w.commerce.read.claimableRewards([campaignId, account]);
  }
  expect(claimable).toBe(l.vestedUnclaimed);
  expect(l.creditOutstanding).toBe(of('PaymentCredited') - of('CreditWithdrawn'));
  let credited = 0n;
  for (const account of [w.buyer, ...w.nodes]) {
    credited += await w.commerce.read.creditOf([campaignId, account]);
  }
  expect(credited).toBe(l.creditOutstanding);
  const inVault = l.available + l.pendingReserved + l.vestedUnclaimed;
  return inVault + l.proceedsPending + l.proceedsClaimable + l.creditOutstanding;
}

/** Base units that pending sales hold, by the rule of a partial refund. */
async function heldByPendingSales(w: World): Promise<bigint> {
  let held = 0n;
  const count = await w.commerce.read.saleCount();
  for (let saleId = 1n; saleId <= count; saleId++) {
    const { status, shares, amount, refundedTotal } = await w.commerce.read.sale([saleId]);
    if (status !== saleStatuses.pending) continue;
    for (const share of shares) held += shareAfterRefund(share, amount, refundedTotal);
  }
  return held;
}

async function check(w: World, token: Address, events: readonly DecodedEvent[]): Promise<void> {
  let owed = 0n;
  let reserved = 0n;
  for (const campaignId of [1n, 2n, 3n]) {
    owed += await checkCampaign(w, events, campaignId);
    reserved += (await w.commerce.read.campaignLedger([campaignId])).pendingReserved;
  }
  expect(await heldByPendingSales(w)).toBe(reserved);
  // Credited as received and debited as sent: equal to the unit, whatever fee the token takes.
  expect(await tokenAt(w.client, token).read.balanceOf([w.commerce.address])).toBe(owed);
}

/** Runs calls that a seed decides, and answers the names of all events seen. */
async function run(
  w: World,
  token: Address,
  seed: number,
  beforeStep: (random: Random) => Promise<unknown> = async () => undefined,
  steps = 250,
): Promise<Set<string>> {
  const random = randomFrom(seed);
  const events: DecodedEvent[] = await createCampaigns(w, token);
  const attested: Attested = { limits: { perOrder: 0n, daily: 0n, expiry: 0n }, day: 0n, sum: 0n };
  checkAttested(attested, events, 0n);
  for (let step = 1; step <= steps; step++) {
    await beforeStep(random);
    const emitted = await act(w, random, step);
    checkAttested(attested, emitted, await now(w));
    events.push(...emitted);
    await checkSolvency(w, token);
    if (step % stepsBetweenChecks === 0 || step === steps) await check(w, token, events);
  }
  expect(await w.commerce.read.saleIdOf([1n, w.buyer, redirectedOrder])).toBe(0);
  return new Set(events.map(({ name }) => name));
}

/** Gives the merchant and the buyer tokens, and lets the contract take them. */
async function giveTokens(w: World, token: Address): Promise<void> {
  const { write } = tokenAt(w.client, token);
  for (const account of [w.merchant, w.buyer]) {
    await sent(w, write.mint([account, fortune], by(account)));
    await sent(w, write.approve([w.commerce.address, maxUint256], by(account)));
  }
}

/** A token of which the merchant and the buyer have much, and what makes it misbehave by chance. */
async function misbehavingToken(w: World) {
  const token = await deploy(w.client, misbehavingTokenAbi, misbehavingTokenBytecode);
  const misbehaving = { abi: misbehavingTokenAbi, address: token } as const;
  const change = (functionName: 'setBehaviour' | 'setExtra' | 'setBalance', args: unknown) =>
    sent(
      w,
      w.client.writeContract({ ...misbehaving, functionName, args, ...by(w.stranger) } as never),
    );
  for (const account of [w.merchant, w.buyer]) await change('setBalance', [account, fortune]);
  const misbehave = async (random: Random) => {
    // Mostly as it should, so that there is something to pay.
    await change('setBehaviour', [random.pick([0, 0, 0, 0, random.below(12)])]);
    await change('setExtra', [random.pick([0n, 0n, 0n, BigInt(random.below(1_000_000))])]);
  };
  return { token, misbehave };
}

describe('a random run of calls', () => {
  it('keeps every ledger whole, and the balance equal to what is owed (seed 1)', async () => {
    const w = world();
    const outcomes = await run(w, w.token.address, 1);
    for (const name of [
      'SaleRecorded',
      'SaleAttested',
      'RewardReleased',
      'SaleRefunded',
      'RewardVested',
      'SaleFinalized',
      'RewardReversed',
      'SaleReversed',
      'RewardsClaimed',
      'ProceedsClaimed',
      'SurplusWithdrawn',
      'CampaignPaused',
      'CampaignResumed',
      'CampaignEnded',
      'NodeJoined',
      'FinalizeSkipped',
      'ClaimSkipped',
    ]) {
      expect(outcomes).toContain(name);
    }
  });

  it('conserves every unit with a token that takes a fee of every transfer (seed 2)', async () => {
    const w = world();
    const token = await deploy(w.client, feeTokenAbi, feeTokenBytecode, [300n]);
    await giveTokens(w, token);
    expect(await run(w, token, 2)).toContain('ProceedsClaimed');
  });

  it('conserves every unit with a token that blocks and unblocks accounts all the time (seed 3)', async () => {
    const w = world();
    const token = await deploy(w.client, blocklistTokenAbi, blocklistTokenBytecode);
    await giveTokens(w, token);
    const toggleOne = async (random: Random) => {
      if (random.below(4) !== 0) return;
      const account = random.pick([w.buyer, w.buyer, w.merchant, ...w.nodes]);
      const blocklist = { abi: blocklistTokenAbi, address: token };
      const args = [account] as const;
      const blocked = await w.client.readContract({
        ...blocklist,
        functionName: 'isBlocked',
        args,
      });
      const request = { ...blocklist, functionName: 'setBlocked', ...by(w.stranger) } as const;
      await sent(w, w.client.writeContract({ ...request, args: [account, !blocked] }));
    };
    const outcomes = await run(w, token, 3, toggleOne);
    for (const name of ['PaymentCredited', 'CreditWithdrawn', 'SaleRefunded', 'RewardsClaimed']) {
      expect(outcomes).toContain(name);
    }
  });

  it('owes no more than it has of a token that misbehaves in a new way all the time (seed 8)', async () => {
    const w = world();
    const { token, misbehave } = await misbehavingToken(w);
    const outcomes = await run(w, token, 8, misbehave);
    for (const name of ['SaleRecorded', 'SaleRefunded', 'RewardsClaimed', 'PaymentCredited']) {
      expect(outcomes).toContain(name);
    }
  });

  it('owes no more than it has in many short histories of tokens that misbehave', async () => {
    const w = world();
    const outcomes = new Set<string>();
    for (let seed = 100; seed < 130; seed++) {
      const id = await w.client.snapshot();
      const { token, misbehave } = await misbehavingToken(w);
      for (const name of await run(w, token, seed, misbehave, 25)) outcomes.add(name);
      await w.client.revert({ id });
    }
    for (const name of ['RewardsClaimed', 'PaymentCredited', 'ProceedsClaimed', 'RewardReversed']) {
      expect(outcomes).toContain(name);
    }
  }, 300_000);
});
