import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { readWebhook } from '../../../examples/receiver-by-hand.ts';
import { newWebhookSecret } from '../../secrets/webhook-secret.ts';
import { version } from '../../version.ts';
import { webhookHeaders } from './sign.ts';

const id = 'evt_1';

describe('newWebhookSecret', () => {
  it('returns whsec_ and 32 bytes in base64, each time others', () => {
    const secrets = Array.from({ length: 20 }, newWebhookSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
    expect(new Set(secrets).size).toBe(20);
  });
});

describe('webhookHeaders', () => {
  it('makes the signature of the example in the specification', () => {
    // The example of the reference libraries.
    const headers = webhookHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: new Date(1_614_265_330_000),
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    });
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': `Tributary-Webhooks/${version}`,
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('signs so that two other verifiers accept it, whatever the body is', () => {
    fc.assert(
      fc.property(fc.json(), fc.uint8Array({ minLength: 32, maxLength: 32 }), (body, key) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const headers = webhookHeaders({ id, timestamp: new Date(), body, secrets: [secret] });
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
        expect(readWebhook(headers, body, secret)).toEqual(JSON.parse(body));
      }),
    );
  });

  it('signs with each secret, and another secret accepts none of the signatures', () => {
    const [next, previous, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    const body = '{"a":1}';
    const secrets = [next, previous];
    const headers = webhookHeaders({ id, timestamp: new Date(), body, secrets });
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(body, headers)).toEqual({ a: 1 });
      expect(readWebhook(headers, body, secret)).toEqual({ a: 1 });
    }
    expect(() => new Webhook(other).verify(body, headers)).toThrow(WebhookVerificationError);
    expect(() => readWebhook(headers, body, other)).toThrow('The signature of the webhook is');
  });

  it('throws without a secret, and for one that is no base64', () => {
    const input = { id, timestamp: new Date(), body: '{}' };
    expect(() => webhookHeaders({ ...input, secrets: [] })).toThrow('needs a secret');
    expect(() => webhookHeaders({ ...input, secrets: ['whsec_?'] })).toThrow(Error);
  });
});
