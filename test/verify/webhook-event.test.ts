import { createPublicClient, http } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { isEventName } from '../../engine/core/events.ts';
import { contractEventTypes } from '../../engine/core/webhook-events.ts';
import { checkWebhookEvent, type WebhookEvent } from '../../engine/verify/index.ts';
import { buy, refund } from '../support/actions.ts';
import { batchingClient, Refusal, strangeClient } from './clients.ts';
import { grow, open, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

let scene: VerifyFixture;
let campaignId: bigint;
let saleId: bigint;
let recorded: WebhookEvent;
let url: string;

beforeAll(async () => {
  scene = await startVerifyFixture();
  campaignId = await open(scene, {});
  const nodeId = (await grow(scene, campaignId, 2)).at(-1) ?? 0n;
  ({ saleId } = await buy(scene.chain, campaignId, scene.buyer, { nodeId }));
  await refund(scene.chain, scene.merchant, saleId, 5n);
  url = scene.chain.anvil.url;
  recorded = find(await messages(), 'sale.recorded');
});
afterAll(() => scene?.chain.stop());

/** A message for every event of the contract on the chain, read by viem alone. */
async function messages(): Promise<WebhookEvent[]> {
  const { client, contract, startBlock, chainId } = scene.chain;
  const logs = await client.getContractEvents({
    address: contract,
    abi: referralCommerceAbi,
    fromBlock: startBlock,
    strict: true,
  });
  return logs.flatMap(({ eventName, args, ...log }) => {
    if (!isEventName(eventName)) return [];
    const data = {
      campaignId: textOf(args, 'campaignId'),
      saleId: textOf(args, 'saleId'),
      amount: textOf(args, 'amount'),
      chain: {
        chainId,
        contractAddress: contract,
        blockNumber: log.blockNumber.toString(),
        blockHash: log.blockHash,
        transactionHash: log.transactionHash,
        logIndex: log.logIndex,
      },
    };
    return [{ type: contractEventTypes[eventName], data }];
  });
}

function textOf(args: object, field: string): string | null {
  const value: unknown = Reflect.get(args, field);
  return value === undefined ? null : String(value);
}

function find(list: readonly WebhookEvent[], type: string): WebhookEvent {
  const found = list.find((message) => message.type === type);
  if (found === undefined) throw new Error(`The chain has no ${type}.`);
  return found;
}

type Data = WebhookEvent['data'];
type Chain = NonNullable<Data['chain']>;

/** The message about the sale, with other fields. */
function changed(data: Partial<Data>, chain: Partial<Chain> = {}): WebhookEvent {
  if (recorded.data.chain === null) throw new Error('The sale is on the chain.');
  return {
    ...recorded,
    data: { ...recorded.data, chain: { ...recorded.data.chain, ...chain }, ...data },
  };
}

function check(message: WebhookEvent, client = batchingClient(url).client) {
  return checkWebhookEvent(message, { client, contractAddress: scene.chain.contract });
}

describe('checkWebhookEvent for an event that the chain has', () => {
  it('returns confirmed, whatever event it is', async () => {
    const all = await messages();
    const types = new Set(all.map(({ type }) => type));
    for (const type of ['campaign.created', 'campaign.funded', 'node.joined', 'sale.refunded']) {
      expect(types).toContain(type);
    }
    for (const message of all) {
      expect(await check(message), message.type).toMatchObject({ status: 'confirmed' });
    }
  });

  it('returns confirmed in one round trip, without regard to upper and lower case', async () => {
    const { client, roundTrips } = batchingClient(url);
    const contractAddress: `0x${string}` = `0x${scene.chain.contract.slice(2).toUpperCase()}`;
    const lower = scene.chain.contract.toLowerCase() as `0x${string}`;
    expect(
      await checkWebhookEvent(changed({}, { contractAddress: lower }), { client, contractAddress }),
    ).toMatchObject({ status: 'confirmed' });
    expect(roundTrips()).toBe(1);
  });
});

describe('checkWebhookEvent for a message that differs from the chain', () => {
  it('returns contradicted for another name, campaign, sale, amount or location', async () => {
    const other = `0x${'ab'.repeat(32)}` as const;
    const at = recorded.data.chain?.logIndex ?? 0;
    const cases: readonly (readonly [WebhookEvent, RegExp])[] = [
      [{ ...recorded, type: 'sale.refunded' }, /the name sale.refunded, and the chain sale.recor/],
      [changed({ campaignId: '99' }), /the campaign 99, and the chain \d+\.$/],
      [changed({ campaignId: null }), /the campaign null/],
      [changed({ saleId: '99' }), /the sale 99/],
      [changed({ saleId: null }), /the sale null/],
      [changed({ amount: '1' }), /the amount 1, and the chain 1000000\.$/],
      [changed({}, { transactionHash: other }), /the transaction 0xabab/],
      [changed({}, { logIndex: at + 99 }), /has no event of the contract at index \d+\.$/],
      [changed({}, { contractAddress: scene.token }), /is of contract 0x/],
    ];
    for (const [message, reason] of cases) {
      const result = await check(message);
      expect(result.status, result.reason).toBe('contradicted');
      expect(result.reason).toMatch(reason);
    }
    const { client } = batchingClient(url);
    const elsewhere = { client, contractAddress: scene.token };
    expect(await checkWebhookEvent(recorded, elsewhere)).toMatchObject({ status: 'contradicted' });
  });

  it('returns contradicted if another contract emitted the same log', async () => {
    const client = strangeClient(url, async ({ method }, pass) => {
      const answer = await pass();
      if (method !== 'eth_getLogs' || !Array.isArray(answer)) return answer;
      return answer.map((log) => ({ ...log, address: scene.token }));
    });
    expect(await check(recorded, client)).toMatchObject({ status: 'contradicted' });
  });
});

describe('checkWebhookEvent for an event whose block was replaced', () => {
  it('returns gone, also for a retraction, and unknown while there is no other block', async () => {
    const { client } = scene.chain;
    const snapshot = await client.snapshot();
    await refund(scene.chain, scene.merchant, saleId, 7n);
    const refunded = (await messages()).findLast(({ type }) => type === 'sale.refunded');
    if (refunded === undefined) throw new Error('The chain has no refund.');
    const retracted = { ...refunded, type: 'sale.refunded.retracted' };
    expect(await check(refunded)).toMatchObject({ status: 'confirmed' });
    expect(await check(retracted)).toMatchObject({ status: 'confirmed' });

    await client.revert({ id: snapshot });
    expect(await check(refunded)).toMatchObject({
      status: 'unknown',
      reason: expect.stringMatching(/^Block \d+ could not be read: the RPC does not know it\.$/),
    });
    await client.mine({ blocks: 1 });
    for (const message of [refunded, retracted]) {
      expect(await check(message)).toMatchObject({
        status: 'gone',
        reason: expect.stringMatching(/^Block \d+ was replaced by another one\.$/),
      });
    }
    expect(await check(recorded)).toMatchObject({ status: 'confirmed' });
  });
});

describe('checkWebhookEvent for an event that cannot be checked', () => {
  it('returns unknown if it is not on the chain, or the RPC is of another chain', async () => {
    const message = {
      ...recorded,
      type: 'dispute.opened',
      data: { ...recorded.data, chain: null },
    };
    expect(await check(message)).toEqual({
      status: 'unknown',
      reason: 'The event is not on the chain.',
    });
    expect(await check(changed({}, { chainId: 1 }))).toEqual({
      status: 'unknown',
      reason: 'The event is of chain 1, and the RPC of 31337.',
    });
  });

  it('returns unknown if the RPC fails, without its URL or key', async () => {
    const dead = createPublicClient({
      transport: http('http://127.0.0.1:9/s3cret', { retryCount: 0 }),
    });
    const result = await check(recorded, dead);
    expect(result).toMatchObject({ status: 'unknown' });
    expect(result.reason).not.toMatch(/s3cret|127\.0\.0\.1/);
    for (const method of ['eth_chainId', 'eth_getBlockByNumber', 'eth_getLogs']) {
      const client = strangeClient(url, (question, pass) => {
        if (question.method === method) throw new Refusal(-32_603, 's3cret');
        return pass();
      });
      const refused = await check(recorded, client);
      expect(refused, method).toMatchObject({ status: 'unknown' });
      expect(refused.reason).not.toContain('s3cret');
    }
  });
});
