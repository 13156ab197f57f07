import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** Makes a secret that signs webhooks, as Standard Webhooks has it: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
