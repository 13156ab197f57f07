import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainOf } from '../../engine/cli/connect.ts';
import { checkNames } from '../../engine/core/receipt-coverage.ts';
import { bundleText, verifyBundle } from '../../engine/verify/bundle/index.ts';
import * as act from '../support/actions.ts';
import {
  accountAt,
  chainEnv,
  deployToken,
  startTestChain,
  type TestChain,
} from '../support/chain.ts';
import { factsFrom, factsOfChain, lower } from '../support/facts.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';

/** Receipts of a real chain, settled for real, held against that chain. */
describe('receipts.verify', () => {
  let chain: TestChain;
  let fixture: ApiFixture;
  let merchant: Address;
  let campaignId: bigint;
  let nodeId: bigint;
  const sales: Record<'open' | 'refunded' | 'claimed' | 'direct', string> = {
    open: '',
    refunded: '',
    claimed: '',
    direct: '',
  };

  beforeAll(async () => {
    chain = await startTestChain();
    merchant = accountAt(chain.accounts, 1);
    const buyer = accountAt(chain.accounts, 2);
    const token = await deployToken(chain);
    campaignId = await act.createCampaign(chain, merchant, token);
    await act.fund(chain, { id: campaignId, token }, merchant, 1_000_000_000n);
    await act.giveTokens(chain, token, buyer, 1_000_000_000n);
    for (let i = 3; i < 8; i += 1) {
      nodeId = await act.join(chain, campaignId, accountAt(chain.accounts, i), nodeId ?? 0n);
    }
    const buy = async (by = 0n) =>
      String((await act.buy(chain, campaignId, buyer, { nodeId: by })).saleId);
    sales.claimed = await buy(nodeId);
    sales.refunded = await buy(nodeId);
    await act.refund(chain, merchant, BigInt(sales.refunded), 333_333n);
    await act.advance(chain, 61);
    await act.send(chain, buyer, 'finalize', [[BigInt(sales.claimed)]]);
    await act.send(chain, accountAt(chain.accounts, 7), 'claimRewards', [[campaignId]]);
    sales.direct = await buy();
    sales.open = await buy(nodeId);

    fixture = await ApiFixture.open({
      client: chain.client,
      deployment: {
        chainId: CHAIN_ID,
        genesisHash: chain.genesisHash,
        contractAddress: lower(chain.contract),
        startBlock: Number(chain.startBlock),
        explorerUrl: null,
      },
    });
    await fixture.settle(factsFrom(await factsOfChain(chain)), { chain: chainOf(chainEnv(chain)) });
  });
  afterAll(async () => {
    await fixture.close();
    await chain.stop();
  });

  async function verify(saleId: string) {
    return (await fixture.client().receipts.verify({ chainId: CHAIN_ID, saleId })).data;
  }

  /** The checks that do not pass. */
  async function faults(saleId: string): Promise<string[]> {
    const { checks } = await verify(saleId);
    return checks.filter(({ status }) => status !== 'pass').map(({ name }) => name);
  }

  it('passes every check of every sale, with evidence', async () => {
    for (const [kind, saleId] of Object.entries(sales)) {
      const { verdict, checks, block } = await verify(saleId);
      const failing = checks.filter(({ status }) => status !== 'pass');
      expect(failing, kind).toEqual([]);
      expect([verdict, checks.length]).toEqual(['pass', checkNames.length]);
      expect(checks.every(({ message }) => message.endsWith('.'))).toBe(true);
      expect(block?.number).toMatch(/^[0-9]+$/);
    }
  });

  it('compares a receipt with the chain as of the settled block, and names what was mined since', async () => {
    const snapshot = await chain.client.snapshot();
    await act.refund(chain, merchant, BigInt(sales.open), 1n);
    expect(await faults(sales.open)).toEqual(['age']);
    expect((await verify(sales.open)).verdict).toBe('outdated');
    await chain.client.revert({ id: snapshot });
  });

  it('returns a bundle that passes, with the totals that the API serves', async () => {
    for (const [kind, saleId] of Object.entries(sales)) {
      const { data } = await fixture.client().receipts.bundle({ chainId: CHAIN_ID, saleId });
      const { data: served } = await fixture.client().receipts.get({ chainId: CHAIN_ID, saleId });
      const { blocks } = verifyBundle(bundleText(data), { blockHashes: [] });
      const result = verifyBundle(bundleText(data), {
        blockHashes: blocks.map(({ hash }) => hash),
        contractAddress: lower(chain.contract),
        chainId: CHAIN_ID,
      });
      expect([kind, result.verdict]).toEqual([kind, 'pass']);
      const { policy, path, state, refundedTotal, amount } = served;
      expect(data.receipt).toMatchObject({ policy, path, state, refundedTotal, amount });
    }
  });

  it('returns no bundle of an unknown sale, or of another chain', async () => {
    const bundle = (saleId: string) => fixture.app().request(`/v1/receipts/31337/${saleId}/bundle`);
    expect((await bundle('999')).status).toBe(404);
    expect((await fixture.app().request('/v1/receipts/1/1/bundle')).status).toBe(404);
  });

  it('fails on the right check when a row of the ledger was tampered with', async () => {
    const { pool } = fixture;
    const saleId = sales.refunded;
    const tampers: [string, string, ReturnType<typeof pool>, ReturnType<typeof pool>][] = [
      [
        'sale',
        'the amount',
        pool`update ledger.sale set amount = amount + 1 where sale_id = ${saleId}`,
        pool`update ledger.sale set amount = amount - 1 where sale_id = ${saleId}`,
      ],
      [
        'split',
        'a share',
        pool`update ledger.sale_level set share = share + 1 where sale_id = ${saleId} and level = 2`,
        pool`update ledger.sale_level set share = share - 1 where sale_id = ${saleId} and level = 2`,
      ],
      [
        'policy',
        'the commission',
        pool`update ledger.policy set hold_seconds = 61`,
        pool`update ledger.policy set hold_seconds = 60`,
      ],
      [
        'path',
        'the owner of a node',
        pool`update ledger.node set owner = decode(reverse(encode(owner, 'hex')), 'hex') where node_id = ${String(nodeId)}`,
        pool`update ledger.node set owner = decode(reverse(encode(owner, 'hex')), 'hex') where node_id = ${String(nodeId)}`,
      ],
      [
        'transitions',
        'an event',
        pool`update ledger.journal set args = jsonb_set(args, '{amount}', '"1"')
          where sale_id = ${saleId} and name = 'SaleRefunded'`,
        pool`update ledger.journal set args = jsonb_set(args, '{amount}', '"333333"')
          where sale_id = ${saleId} and name = 'SaleRefunded'`,
      ],
      [
        'state',
        'its state',
        pool`update ledger.sale set state = 'finalized' where sale_id = ${saleId}`,
        pool`update ledger.sale set state = 'pending' where sale_id = ${saleId}`,
      ],
      [
        'transaction',
        'its location',
        pool`update ledger.journal set log_index = log_index + 7
          where sale_id = ${saleId} and name = 'SaleRecorded'`,
        pool`update ledger.journal set log_index = log_index - 7
          where sale_id = ${saleId} and name = 'SaleRecorded'`,
      ],
    ];
    for (const [check, what, tamper, repair] of tampers) {
      await tamper;
      const found = await verify(saleId);
      await repair;
      expect(found.verdict, what).toBe('fail');
      const failed = found.checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
      expect(failed, what).toContain(check);
    }
    expect(await faults(saleId)).toEqual([]);
  });
});
