import { describe, expect, it } from 'vitest';
import { registry } from '../contract/registry.ts';
import { toRequest } from './request.ts';

describe('toRequest', () => {
  it('fills placeholders, encoded, and takes them out of the query', () => {
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

  it('sends what is left of a write as its JSON body', () => {
    const { path, headers, body } = toRequest(registry.invitations.respond, {
      id: 'i1',
      response: 'accept',
    });
    expect(path).toBe('/v1/me/invitations/i1');
    expect(headers['content-type']).toBe('application/json');
    expect(body).toBe('{"response":"accept"}');
  });

  it('needs every placeholder', () => {
    expect(() => toRequest(registry.campaigns.get, {})).toThrow('campaigns.get needs campaignId.');
  });
});
