import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WebhookMessage } from '../contract/shapes/webhook.ts';
import { type Address, eventNames, type Hex } from './events.ts';
import { contractEventTypes } from './webhook-events.ts';
import {
  type ContractEvent,
  eventIdOf,
  retractionOf,
  type Sha256,
  type WebhookDeployment,
  webhookMessageOf,
} from './webhook-message.ts';

const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest();

const hexArb = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value): Hex => `0x${Buffer.from(value).toString('hex')}`);
const addressArb: fc.Arbitrary<Address> = hexArb(20);
const countedArb = fc.bigInt({ min: 1n, max: (1n << 256n) - 1n }).map(String);

const deploymentArb: fc.Arbitrary<WebhookDeployment> = fc.record({
  chainId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  contractAddress: addressArb,
  publicUrl: fc
    .webUrl({ withFragments: false, withQueryParameters: false })
    .map((url) => url.replace(/\/+$/, '')),
});

const eventArb: fc.Arbitrary<ContractEvent> = fc.record({
  name: fc.constantFrom(...eventNames),
  campaignId: countedArb,
  saleId: fc.option(countedArb),
  amount: fc.option(countedArb),
  accounts: fc.array(addressArb, { maxLength: 6 }),
  blockNumber: fc.integer({ min: 0, max: 1e15 }),
  blockHash: hexArb(32),
  timestamp: fc.integer({ min: 0, max: 253_402_300_799 }),
  transactionHash: hexArb(32),
  logIndex: fc.integer({ min: 0, max: 100_000 }),
});

const finalityArb = fc.constantFrom('pending' as const, 'safe' as const, 'finalized' as const);

const deployment: WebhookDeployment = {
  chainId: 31_337,
  contractAddress: `0x${'c0'.repeat(20)}`,
  publicUrl: 'https://shop.example',
};

const sale: ContractEvent = {
  name: 'SaleRecorded',
  campaignId: '7',
  saleId: '12',
  amount: '18750000',
  accounts: [`0x${'0a'.repeat(20)}`],
  blockNumber: 104,
  blockHash: `0x${'ab'.repeat(32)}`,
  timestamp: 1_700_000_000,
  transactionHash: `0x${'cd'.repeat(32)}`,
  logIndex: 3,
};

describe('webhookMessageOf', () => {
  it('builds the documented body of a sale', () => {
    // Computed by hand with sha256sum.
    const id = 'evt_TBxLSiudHpKnRPQVW016d1G5_ycNYqJo';
    expect(webhookMessageOf(sha256, deployment, sale, 'pending')).toEqual({
      type: 'sale.recorded',
      timestamp: '2023-11-14T22:13:20.000Z',
      data: {
        eventId: id,
        retracts: null,
        finality: 'pending',
        campaignId: '7',
        saleId: '12',
        amount: '18750000',
        accounts: sale.accounts,
        subjectId: null,
        chain: {
          chainId: 31_337,
          contractAddress: deployment.contractAddress,
          blockNumber: '104',
          blockHash: sale.blockHash,
          transactionHash: sale.transactionHash,
          logIndex: 3,
        },
        links: {
          self: 'https://shop.example/v1/receipts/31337/12?atBlock=104',
          verify: 'https://shop.example/v1/receipts/31337/12/verify',
        },
      },
    });
  });

  it('links events without a sale to their campaign, which nothing verifies', () => {
    const event: ContractEvent = { ...sale, name: 'CampaignPaused', saleId: null, amount: null };
    const { type, data } = webhookMessageOf(sha256, deployment, event, 'finalized');
    expect(type).toBe('campaign.paused');
    expect(data.links).toEqual({
      self: 'https://shop.example/v1/campaigns/7?atBlock=104',
      verify: null,
    });
  });

  it('always builds a body that the published schema accepts', () => {
    fc.assert(
      fc.property(deploymentArb, eventArb, finalityArb, (where, event, finality) => {
        for (const body of [
          webhookMessageOf(sha256, where, event, finality),
          retractionOf(sha256, where, event, finality),
        ]) {
          expect(WebhookMessage.parse(JSON.parse(JSON.stringify(body)))).toEqual(body);
        }
      }),
    );
  });
});

describe('eventIdOf', () => {
  it('depends on the location on the chain alone', () => {
    fc.assert(
      fc.property(deploymentArb, eventArb, eventArb, (where, one, other) => {
        const same = {
          ...other,
          campaignId: one.campaignId,
          blockHash: one.blockHash,
          logIndex: one.logIndex,
        };
        const elsewhere = { ...where, publicUrl: 'http://127.0.0.1:4000' };
        expect(eventIdOf(sha256, elsewhere, same)).toBe(eventIdOf(sha256, where, one));
      }),
    );
  });

  it('differs if any part of the location differs', () => {
    const changes: [Partial<WebhookDeployment>, Partial<ContractEvent>][] = [
      [{}, {}],
      [{ chainId: 1 }, {}],
      [{ contractAddress: `0x${'c1'.repeat(20)}` }, {}],
      [{}, { campaignId: '8' }],
      [{}, { blockHash: `0x${'ac'.repeat(32)}` }],
      [{}, { logIndex: 4 }],
    ];
    const ids = changes.map(([where, event]) =>
      eventIdOf(sha256, { ...deployment, ...where }, { ...sale, ...event }),
    );
    expect(new Set(ids).size).toBe(changes.length);
    for (const id of ids) expect(id).toMatch(/^evt_[A-Za-z0-9_-]{32}$/);
  });
});

describe('retractionOf', () => {
  it('names the event that it retracts, and has an id and a type of its own', () => {
    fc.assert(
      fc.property(deploymentArb, eventArb, finalityArb, (where, event, finality) => {
        const original = webhookMessageOf(sha256, where, event, finality);
        const { type, data } = retractionOf(sha256, where, event, finality);
        expect(type).toBe(`${contractEventTypes[event.name]}.retracted`);
        expect(data.retracts).toBe(original.data.eventId);
        expect(data.eventId).toBe(`${original.data.eventId}_retracted`);
        expect(data.links.self).toBe(original.data.links.self?.replace(/\?atBlock=\d+$/, ''));
      }),
    );
  });
});
