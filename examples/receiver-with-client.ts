import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  verifyWebhook,
  type WebhookMessage,
  WebhookVerificationError,
} from '../engine/client/index.ts';

/** Receives webhooks. `store` must return when the message is stored, and skip an id that it has. */
export function receiverWithClient(
  secret: string,
  store: (eventId: string, message: WebhookMessage) => Promise<void>,
) {
  return createServer(async (request, response) => {
    try {
      const { headers } = request;
      const message = await verifyWebhook({ headers, body: await text(request) }, secret);
      await store(message.data.eventId, message);
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    }
  });
}
