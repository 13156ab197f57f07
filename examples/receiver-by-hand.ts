import { createHmac, timingSafeEqual } from 'node:crypto';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Returns the message of a webhook. Throws if it is not to be trusted. `body` is the text as received. */
export function readWebhook(headers: Headers, body: string, secret: string, now = Date.now()) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const age = now / 1_000 - Number(timestamp);
  if (!(Math.abs(age) <= 300)) throw new Error('The webhook is not from the last 5 minutes.');

  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const isSigned = String(headers['webhook-signature'])
    .split(' ')
    .some((versioned) => {
      const [version, signature = ''] = versioned.split(',');
      const found = Buffer.from(signature, 'base64');
      if (version !== 'v1' || found.length !== expected.length) return false;
      return timingSafeEqual(found, expected);
    });
  if (!isSigned) throw new Error('The signature of the webhook is wrong.');
  return JSON.parse(body);
}
