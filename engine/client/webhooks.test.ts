import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { saleMessage } from '../../test/support/webhook-message.ts';
import { webhookHeaders } from '../jobs/webhooks/sign.ts';
import { newWebhookSecret } from '../secrets/webhook-secret.ts';
import {
  type ReceivedWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookIssue,
  WebhookVerificationError,
} from './webhooks.ts';

const secret = newWebhookSecret();
const message = saleMessage();
const sentAt = Date.UTC(2026, 10, 23, 12);
const atThatTime = { now: () => sentAt };

function sign(body: string, secrets: readonly string[] = [secret]): ReceivedWebhook {
  const timestamp = new Date(sentAt);
  return { headers: webhookHeaders({ id: 'evt_1', timestamp, body, secrets }), body };
}

const good = sign(JSON.stringify(message));

/** Code of the refusal. Its message must be a sentence without the secret. */
async function refusal(
  request: Request | ReceivedWebhook,
  secrets: string | readonly string[] = secret,
  options: VerifyWebhookOptions = atThatTime,
): Promise<WebhookIssue> {
  const error = await verifyWebhook(request, secrets, options).catch((thrown: unknown) => thrown);
  if (!(error instanceof WebhookVerificationError)) throw new Error(`It returned ${error}.`);
  expect(error.message).toMatch(/^[A-Z].*\.$/);
  expect(error.message).not.toContain(secret.slice(6));
  return error.code;
}

describe('verifyWebhook', () => {
  it('returns the message of a Request, of Node headers and of bytes', async () => {
    const { headers, body } = good;
    const request = new Request('https://shop.example/hook', {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: body as string,
    });
    const bytes = { headers, body: new TextEncoder().encode(body as string) };
    const capitals = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    for (const received of [
      request,
      good,
      bytes,
      { headers: Object.fromEntries(capitals), body },
    ]) {
      expect(await verifyWebhook(received, secret, atThatTime)).toEqual(message);
    }
  });

  it('accepts a signature of any of the secrets, with either side in rotation', async () => {
    const [next, previous] = [newWebhookSecret(), newWebhookSecret()];
    const body = JSON.stringify(message);
    const both = sign(body, [next, previous]);
    for (const secrets of [next, previous, [previous, secret], [secret, next]]) {
      expect(await verifyWebhook(both, secrets, atThatTime)).toEqual(message);
    }
    expect(await verifyWebhook(sign(body, [next]), [previous, next], atThatTime)).toEqual(message);
    expect(await verifyWebhook(good, secret.slice(6), atThatTime)).toEqual(message);
  });

  it('ignores signatures of other versions and malformed ones', async () => {
    const { headers, body } = good;
    const signature = Object(headers)['webhook-signature'];
    const many = { ...headers, 'webhook-signature': `v1a,xx v1,? v1, v1 ${signature}` };
    expect(await verifyWebhook({ headers: many, body }, secret, atThatTime)).toEqual(message);
    for (const wrong of ['v1a,xx', 'v1,?', `v2${signature.slice(2)}`, signature.slice(3), 'v1,']) {
      const changed = { ...headers, 'webhook-signature': wrong };
      expect(await refusal({ headers: changed, body }), wrong).toBe('WRONG_SIGNATURE');
    }
  });

  it('refuses any other body, id, time or secret', async () => {
    const { headers, body } = good;
    const text = body as string;
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), async (at, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        fc.pre(changed !== text);
        expect(await refusal({ headers, body: changed })).toBe('WRONG_SIGNATURE');
      }),
      { numRuns: 50 },
    );
    const otherId = { ...headers, 'webhook-id': 'evt_2' };
    expect(await refusal({ headers: otherId, body })).toBe('WRONG_SIGNATURE');
    const later = { ...headers, 'webhook-timestamp': String(sentAt / 1_000 + 1) };
    expect(await refusal({ headers: later, body })).toBe('WRONG_SIGNATURE');
    expect(await refusal(good, newWebhookSecret())).toBe('WRONG_SIGNATURE');
  });

  it('refuses a request that is too old or too new, by a tolerance', async () => {
    const at = (seconds: number) => ({ now: () => sentAt + seconds * 1_000 });
    for (const seconds of [-300, 0, 300]) {
      expect(await verifyWebhook(good, secret, at(seconds))).toEqual(message);
    }
    for (const seconds of [-301, 301, 86_400]) {
      expect(await refusal(good, secret, at(seconds))).toBe('OUTSIDE_TOLERANCE');
    }
    const options = { ...at(301), toleranceSeconds: 301 };
    expect(await verifyWebhook(good, secret, options)).toEqual(message);
  });

  it('refuses a request without one of its headers, or with a malformed time', async () => {
    const { headers, body } = good;
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      const { [name]: _, ...rest } = headers as Record<string, string>;
      expect(await refusal({ headers: rest, body }), name).toBe('BAD_HEADER');
      expect(await refusal({ headers: new Headers(rest), body }), name).toBe('BAD_HEADER');
      expect(await refusal({ headers: { ...rest, [name]: '' }, body }), name).toBe('BAD_HEADER');
    }
    for (const time of ['now', '-1', '1e9', '0x1', '2026-11-23', '1'.repeat(13)]) {
      const changed = { ...headers, 'webhook-timestamp': time };
      expect(await refusal({ headers: changed, body }), time).toBe('BAD_HEADER');
    }
  });

  it('refuses a secret that is missing or malformed', async () => {
    for (const wrong of ['', 'whsec_', 'whsec_?', []]) {
      expect(await refusal(good, wrong)).toBe('BAD_SECRET');
    }
  });

  it('refuses a signed body that is no message, and keeps fields that a newer service adds', async () => {
    const { data, ...rest } = message;
    for (const body of ['', 'no JSON', 'null', '[]', '{}', JSON.stringify(rest)]) {
      expect(await refusal(sign(body)), body).toBe('BAD_BODY');
    }
    const wrong = { ...message, data: { ...data, logs: 1, campaignId: 7 } };
    expect(await refusal(sign(JSON.stringify(wrong)))).toBe('BAD_BODY');
    const newer = {
      ...message,
      version: 2,
      data: { ...data, links: { ...data.links, more: 'x' } },
    };
    const read = await verifyWebhook(sign(JSON.stringify(newer)), secret, atThatTime);
    expect(read).toEqual(newer);
  });
});
