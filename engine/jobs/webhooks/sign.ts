import { Webhook } from 'standardwebhooks';
import { version } from '../../version.ts';

/**
 * Headers of a delivery attempt, as Standard Webhooks has them. Receivers refuse old timestamps, so each
 * attempt must be signed when it is sent.
 * @param input.id id of the event.
 * @param input.timestamp time of the attempt.
 * @param input.secrets secrets in the form of `newWebhookSecret`. Each signs: during a rotation, a receiver
 *   may have the new one or the old one.
 * @throws {Error} without a secret, or if one is malformed.
 */
export function webhookHeaders(input: {
  readonly id: string;
  readonly timestamp: Date;
  readonly body: string;
  readonly secrets: readonly string[];
}): Record<string, string> {
  const { id, timestamp, body, secrets } = input;
  if (secrets.length === 0) throw new Error('A webhook needs a secret that signs it.');
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, timestamp, body));
  return {
    'content-type': 'application/json',
    'user-agent': `Tributary-Webhooks/${version}`,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}
