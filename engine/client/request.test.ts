import { describe, expect, it } from 'vitest';
import { registry } from '../contract/registry.ts';
import { toRequest } from './request.ts';

describe('toRequest', () => {
  it('fills placeholders, encoded, and removes them from the query', () => {
    const { path, method, body } = toRequest(registry.receipts.events, {
      chainId: 1,
      saleId: 'a/b?c',
      limit: 5,
      cursor: undefined,
    });
    expect(path).toBe('/v1/receipts/1/a%2Fb%3Fc/events?limit=5');
    expect([method, body]).toEqual(['GET', undefined]);
  });

  it('joins arrays by commas, and writes other objects as JSON', () => {
    const { path } = toRequest(registry.analytics.campaign, {
      campaignId: '1',
      campaignIds: ['2', '3'],
      range: { from: 'a', to: 'b' },
    });
    const query = new URLSearchParams(path.split('?')[1]);
    expect(query.get('campaignIds')).toBe('2,3');
    expect(query.get('range')).toBe('{"from":"a","to":"b"}');
  });

  it('sends the remaining fields of a write as its JSON body', () => {
    const { path, headers, body } = toRequest(registry.invitations.respond, {
      id: 'i1',
      response: 'accept',
    });
    expect(path).toBe('/v1/me/invitations/i1');
    expect(headers['content-type']).toBe('application/json');
    expect(body).toBe('{"response":"accept"}');
  });

  it('throws if a placeholder has no field', () => {
    expect(() => toRequest(registry.campaigns.get, {})).toThrow('campaigns.get needs campaignId.');
  });

  it('sends only the payload field as the body, if the method has one', () => {
    const draft = { title: 't' };
    const { path, body } = toRequest(registry.campaigns.saveDraft, { id: 'd1', draft });
    expect(path).toBe('/v1/merchant/campaign-drafts/d1');
    expect(body).toBe('{"title":"t"}');
  });

  it('sends a file as a form, and leaves the boundary to the transport', () => {
    const file = new Blob(['x']);
    const { headers, body } = toRequest(registry.products.uploadAsset, { id: 'p1', file });
    expect(headers).not.toHaveProperty('content-type');
    if (!(body instanceof FormData)) throw new Error('no form was made');
    expect([...body.keys()]).toEqual(['file']);
    expect(() => toRequest(registry.products.uploadAsset, { id: 'p1' })).toThrow('needs file');
  });

  it('sends the idempotency field as a header too', () => {
    const { headers, body } = toRequest(registry.checkout.createIntent, { orderKey: '0xab' });
    expect(headers['idempotency-key']).toBe('0xab');
    expect(body).toBe('{"orderKey":"0xab"}');
  });

  it('uses the narrower path of a method if its field is given', () => {
    const one = toRequest(registry.vault.get, { campaignId: '7' });
    expect(one.path).toBe('/v1/merchant/campaigns/7/vault');
    expect(toRequest(registry.vault.get, {}).path).toBe('/v1/merchant/vault');
  });

  it('sends no body for a write without fields', () => {
    const { headers, body } = toRequest(registry.webhooks.test, { id: 'w1' });
    expect(body).toBeUndefined();
    expect(headers).toEqual({ accept: 'application/json' });
  });

  it('refuses an item of a list that contains a comma', () => {
    const input = { campaignIds: ['1,2'] };
    expect(() => toRequest(registry.analytics.merchant, input)).toThrow(
      'analytics.merchant: campaignIds has an item with a comma',
    );
  });
});
