import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleText, verifyBundle } from '../../engine/verify/bundle/index.ts';
import { bundleCheckNames } from '../../engine/verify/bundle/types.ts';
import { bundleOf, faultsOf, fullTrust } from './bundles.ts';
import { receiptsOf } from './receipt.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

let scene: VerifyFixture;
let sales: Awaited<ReturnType<typeof playSales>>;
let receiptFor: Awaited<ReturnType<typeof receiptsOf>>;

beforeAll(async () => {
  scene = await startVerifyFixture();
  sales = await playSales(scene);
  receiptFor = await receiptsOf(scene.chain);
});
afterAll(() => scene?.chain.stop());

const names = [
  'fiveLevel',
  'shortRenormalized',
  'direct',
  'partlyRefunded',
  'fullyRefunded',
  'finalized',
  'refundedAndFinalized',
  'claimed',
  'secondPolicy',
  'saleCapped',
  'liabilityCapped',
  'nothingLeft',
  'budgetCapped',
  'attested',
  'reversed',
  'reversedLater',
  'thirdParty',
  'firstOfBlock',
  'secondOfBlock',
] as const;

describe('a receipt bundle', () => {
  it('covers every sale of the fixture', () => {
    expect([...names].sort()).toEqual(Object.keys(sales).sort());
  });

  it.each(names)('passes every check if the reader knows its blocks: %s', async (name) => {
    const bundle = await bundleOf(scene, sales[name]);
    const result = verifyBundle(new TextEncoder().encode(bundleText(bundle)), fullTrust(bundle));
    expect(result).toMatchObject({ chainId: 31_337, verdict: 'pass', receipt: bundle.receipt });
    expect(result.checks.map((check) => [check.name, check.status, check.message])).toEqual(
      bundleCheckNames.map((check) => [check, 'pass', expect.stringMatching(/^[A-Z].*\.$/)]),
    );
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it.each(names)('contains the same receipt as an independent computation: %s', async (name) => {
    const { receipt } = await bundleOf(scene, sales[name]);
    const served = receiptFor(sales[name]);
    const { split, transitions, termsHash, token, merchant, trustMode } = served;
    const { liabilityBefore, availableBefore, ...shown } = split;
    const shared = ['amount', 'buyer', 'campaignId', 'holdUntil', 'nodeId', 'orderKey'] as const;
    const derived = ['path', 'policy', 'refundedTotal', 'skuHash', 'state'] as const;
    for (const field of [...shared, ...derived]) expect(receipt[field]).toEqual(served[field]);
    expect(receipt.soldAt).toBe(served.recordedAt);
    expect(receipt.split).toMatchObject(shown);
    expect(receipt.campaign).toMatchObject({
      termsHash,
      trustMode,
      merchant: merchant.address,
      token: token.address,
      tokenSymbol: token.symbol,
      tokenDecimals: token.decimals,
      tokenName: token.name ?? '',
    });
    expect(receipt.transitions.map((event) => [event.name, event.blockHash, event.args])).toEqual(
      transitions.map((event) => [event.name, event.blockHash, event.args]),
    );
  });

  it('says that the pool is what the contract reported, if the budget limited it', async () => {
    const byLedger = new Set<string>([
      'liabilityCapped',
      'nothingLeft',
      'budgetCapped',
      'secondOfBlock',
    ]);
    for (const name of names) {
      const { receipt } = await bundleOf(scene, sales[name]);
      const expected = byLedger.has(name) ? 'ledger' : 'policy';
      expect([name, receipt.split.poolBoundBy]).toEqual([name, expected]);
    }
  });

  it('proves which rewards a reversal left, and which were paid out', async () => {
    const { receipt: reversed } = await bundleOf(scene, sales.reversed);
    expect(reversed.state).toBe('reversed');
    expect(reversed.claims.map(({ name }) => name)).toEqual(['RewardsClaimed']);
    const { receipt: claimed } = await bundleOf(scene, sales.claimed);
    expect(claimed.claims).toHaveLength(5);
  });
});

describe('what a reader vouches for', () => {
  it('passes if the reader vouches for the newest block and headers link the others to it', async () => {
    const bundle = await bundleOf(scene, sales.claimed);
    const { blockHashes, ...rest } = fullTrust(bundle);
    const result = verifyBundle(bundleText(bundle), {
      ...rest,
      blockHashes: blockHashes.slice(-1),
    });
    expect(result.verdict).toBe('pass');
    expect(new Set(result.blocks.slice(0, -1).map(({ vouched }) => vouched))).toEqual(
      new Set(['linked']),
    );
  });

  it('leaves blocks open that are newer than the one the reader vouches for', async () => {
    const bundle = await bundleOf(scene, sales.claimed);
    const { blockHashes, ...rest } = fullTrust(bundle);
    const result = verifyBundle(bundleText(bundle), {
      ...rest,
      blockHashes: blockHashes.slice(0, 1),
    });
    expect(result.verdict).toBe('unavailable');
    expect(faultsOf(result)).toEqual(['blocks: unavailable']);
    const open = result.blocks.filter(({ vouched }) => vouched === 'open');
    expect(open.map(({ hash }) => hash)).toEqual(blockHashes.slice(1));
  });

  it('passes only if the reader vouches for every block that is not linked', async () => {
    const bundle = await bundleOf(scene, sales.direct, { maxLinkHeaders: 0 });
    expect(bundle.headers).toHaveLength(bundle.proofs.length);
    const trust = fullTrust(bundle);
    expect(verifyBundle(bundleText(bundle), trust).verdict).toBe('pass');
    for (const left of trust.blockHashes) {
      const blockHashes = trust.blockHashes.filter((hash) => hash !== left);
      const result = verifyBundle(bundleText(bundle), { ...trust, blockHashes });
      expect(faultsOf(result)).toEqual(['blocks: unavailable']);
      expect(result.checks[2]?.message).toContain(left);
    }
  });

  it('fails for another contract, for another chain, and without a named contract', async () => {
    const bundle = await bundleOf(scene, sales.direct);
    const trust = fullTrust(bundle);
    const file = bundleText(bundle);
    const other = verifyBundle(file, { ...trust, contractAddress: scene.token });
    expect(faultsOf(other)).toEqual(['contract: fail']);
    expect(faultsOf(verifyBundle(file, { ...trust, chainId: 1 }))).toEqual(['contract: fail']);
    const none = verifyBundle(file, { blockHashes: trust.blockHashes });
    expect(faultsOf(none)).toEqual(['contract: unavailable']);
    const strange = verifyBundle(file, { ...trust, blockHashes: [`0x${'ab'.repeat(32)}`] });
    expect(faultsOf(strange)).toEqual(['blocks: unavailable']);
    expect(strange.checks[2]?.message).toContain('is no block of this bundle');
  });
});
