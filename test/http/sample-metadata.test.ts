import { keccak256 } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Client } from '../../engine/client/index.ts';
import { lower } from '../support/facts.ts';
import { SampleApi } from './support/sample-api.ts';

/** Parts of the metadata that an auditor compares with what other methods return. */
const Metadata = z.looseObject({
  campaign: z.looseObject({ token: z.string(), trustMode: z.string(), skuHash: z.string() }),
  chainId: z.int(),
  contract: z.string(),
  merchant: z.string(),
  policyHash: z.string(),
  product: z.object({ id: z.string(), version: z.int() }),
});

describe('the metadata of the sample', () => {
  let sample: SampleApi;
  let client: Client;

  beforeAll(async () => {
    sample = await SampleApi.open();
    client = sample.fixture.client();
  });
  afterAll(() => sample?.close());

  it('hashes to what the chain has, and names the product and policy of each campaign that has a product', async () => {
    const { data: status } = await client.system.status({});
    const found: string[] = [];
    for (const { campaignId } of (await client.campaigns.list({ limit: 100 })).data.items) {
      const { data: campaign } = await client.campaigns.get({ campaignId });
      const reply = await client.metadata.get({ campaignId }).catch((error: unknown) => {
        expect(error).toMatchObject({ status: 404 });
      });
      if (reply === undefined) continue;
      const { data: metadata } = reply;
      found.push(campaignId);
      expect(keccak256(lower(metadata.bytes))).toBe(campaign.metadataHash);
      const said = Metadata.parse(JSON.parse(metadata.text));
      const { chainId, contractAddress } = status.deployment;
      expect(said).toMatchObject({ chainId, contract: contractAddress });
      expect(said.merchant).toBe(campaign.merchant.address);
      expect(said.campaign).toMatchObject({
        token: campaign.token.address,
        trustMode: campaign.trustMode,
      });
      const { data: policies } = await client.policies.list({ campaignId });
      expect(said.policyHash).toBe(policies.items[0]?.policyHash);
      const { id, version } = said.product;
      expect(id).toBe(campaign.product.id);
      expect((await client.versions.get({ id, version })).data).toMatchObject({ version });
    }
    // Two merchants published without this service: one has no profile, and one no product.
    expect(found.sort()).toHaveLength(7);
  });
});
