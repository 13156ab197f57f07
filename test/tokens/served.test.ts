import { type Abi, type Hex, toFunctionSelector } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quirkyTokenAbi } from '../../abis/test/quirkyToken.ts';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import type { Client } from '../../engine/client/index.ts';
import { runAudit } from '../../engine/settlement/audit.ts';
import { bundleText, verifyBundle } from '../../engine/verify/bundle/index.ts';
import { LiveFixture } from '../http/support/live-fixture.ts';
import * as act from '../support/actions.ts';
import { accountAt, chainEnv, deployQuirkyToken, mined, type TestChain } from '../support/chain.ts';
import { lower } from '../support/facts.ts';
import { bundleOf, fullTrust } from '../verify/bundles.ts';
import { type TokenKind, tokenKinds } from './kinds.ts';

/** Tokens of receipts, by the kind: what the campaign's creation recorded. */
const shown: Readonly<Record<string, object>> = {
  'No decimals: whole units only': { symbol: 'QUIRK', decimals: 0, name: 'Quirky' },
  '36 decimals': { symbol: 'QUIRK', decimals: 36 },
  'No name and no symbol': { symbol: '', decimals: 6 },
  'Name and symbol of `bytes32`': { symbol: 'MKR', name: 'Maker' },
  'Hostile name: control characters, HTML, right-to-left, not UTF-8': {
    // What a database cannot hold is U+FFFD; pages and terminals escape the rest.
    symbol: '\u202e<b>\ufffd\u001b[2J',
    name: '\ufffd\ufffd\ufffd(',
  },
  'Changes its decimals': { symbol: 'QUIRK', decimals: 6 },
  'Takes a fee of what arrives': { symbol: 'QUIRK', decimals: 6 },
};

const DECIMALS = toFunctionSelector('decimals()');

/** Kinds of which the contract has less than it owes after a while. */
const shortKinds = tokenKinds.filter(({ short }) => short);

describe('the service', () => {
  let live: LiveFixture;
  let chain: TestChain;
  let [merchant, buyer, seller]: Hex[] = [];
  let client: Client;
  const sales = new Map<string, { token: Hex; campaignId: bigint; saleId: bigint }>();

  beforeAll(async () => {
    live = await LiveFixture.open();
    chain = live.chain;
    [merchant, buyer, seller] = [1, 2, 3].map((i) => lower(accountAt(chain.accounts, i)));
    client = await live.fixture.clientAs(seller as Hex);
    for (const kind of tokenKinds) {
      if (shown[kind.name] || kind.short || kind.name === 'Ordinary') await sell(kind);
    }
    await live.syncToHead();
  });
  afterAll(() => live.close());

  /** Sells once through a node, in a campaign with a token of that kind. */
  async function sell(kind: TokenKind): Promise<void> {
    const token = lower(await deployQuirkyToken(chain, kind));
    const campaignId = await act.createCampaign(chain, merchant as Hex, token);
    await act.fund(chain, { id: campaignId, token }, merchant as Hex, 1_000_000n);
    await act.giveTokens(chain, token, buyer as Hex, 10_000_000n);
    const nodeId = await act.join(chain, campaignId, seller as Hex);
    const { saleId } = await act.buy(chain, campaignId, buyer as Hex, { nodeId });
    sales.set(kind.name, { token, campaignId, saleId });
    const { decimals } = kind.later ?? {};
    if (decimals) await writeToken(token, 'setAnswer', [DECIMALS, decimals]);
  }

  /** Changes a token. */
  async function writeToken(
    address: Hex,
    functionName: 'setAnswer' | 'setIndex',
    args: readonly unknown[],
  ): Promise<void> {
    const request = { abi: quirkyTokenAbi as Abi, address, functionName, args };
    const hash = await chain.client.writeContract({ ...request, account: merchant as Hex });
    await mined(chain.client, hash);
  }

  const soldOf = (name: string) => sales.get(name) ?? { token: '0x', campaignId: 0n, saleId: 0n };

  it.each(Object.entries(shown))(
    'serves, verifies and bundles a receipt: %s',
    async (name, token) => {
      const { saleId } = soldOf(name);
      const ref = { chainId: chain.chainId, saleId: String(saleId) };
      const { data } = await client.receipts.get(ref);
      expect(data.token).toMatchObject(token);
      const amount = name === 'Takes a fee of what arrives' ? '990000' : '1000000';
      expect(data.amount).toBe(amount);
      expect((await client.receipts.verify(ref)).data.verdict).toBe('pass');
      const fixture = { chain } as Parameters<typeof bundleOf>[0];
      const bundle = await bundleOf(fixture, saleId);
      expect(verifyBundle(bundleText(bundle), fullTrust(bundle)).verdict).toBe('pass');
    },
  );

  it('limits the gas of the call that asks a token for a balance', async () => {
    const address = `0x${'79'.repeat(20)}` as const;
    const reader = contractReader(chainEnv(chain));
    const balance = async () =>
      await reader.tokenBalance(address, Number(await chain.client.getBlockNumber()));
    // One that answers with the gas that it has left, one without an end, and one that answers nothing.
    await chain.client.setCode({ address, bytecode: '0x5a60005260206000f3' });
    expect(await balance()).toBeLessThan(5_000_000n);
    for (const bytecode of ['0x5b600056', '0x00'] as const) {
      await chain.client.setCode({ address, bytecode });
      expect(await balance()).toBeNull();
    }
  });

  it('serves each campaign with the decimals that its token had at its creation', async () => {
    const { token, campaignId } = soldOf('Changes its decimals');
    const later = await act.createCampaign(chain, merchant as Hex, token);
    await live.syncToHead();
    const decimals = async (id: bigint) =>
      (await client.campaigns.get({ campaignId: String(id) })).data.token.decimals;
    expect([await decimals(campaignId), await decimals(later)]).toEqual([6, 18]);
  });

  it('adds no amounts of tokens that have the same symbol', async () => {
    const { data } = await client.tokens.list({ limit: 100 });
    expect(data.items).toHaveLength(sales.size);
  });

  it('reports each token of which the contract has less than it owes, and finds nothing about the others', async () => {
    const reader = contractReader(chainEnv(chain));
    expect((await runAudit(live.fixture.pool, reader)).violations).toEqual([]);
    for (const { name, later } of shortKinds) {
      await writeToken(soldOf(name).token, 'setIndex', [later?.index ?? 0n]);
    }
    await live.syncToHead();
    const { violations } = await runAudit(live.fixture.pool, reader);
    const invariant = "the contract's token balance covers all it owes";
    expect(violations.map((one) => [one.invariant, one.subject]).sort()).toEqual(
      shortKinds.map(({ name }) => [invariant, soldOf(name).token]).sort(),
    );
  });
});
