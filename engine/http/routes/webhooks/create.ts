import { createEndpoint, MAX_ENDPOINTS } from '../../../db/commerce/webhook-endpoints.ts';
import { webhookUrlIssue } from '../../../net/webhook-url.ts';
import { seal } from '../../../secrets/seal.ts';
import { newWebhookSecret } from '../../../secrets/webhook-secret.ts';
import { newId } from '../../auth/token.ts';
import { unprocessable } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { webhookEndpoint } from '../../render/webhook.ts';
import { requireSubscriptions } from '../../resources/webhooks/own-endpoint.ts';

/** Only public addresses. */
const PUBLIC_ONLY = { allowCidrs: [], allowLoopback: false } as const;

/** `webhooks.create`: adds an endpoint for the events that concern the caller, from later blocks on. */
export const create: Handler<'webhooks.create'> = async (input, deps, { merchant }) => {
  const { url, ordered = false } = input;
  const events = requireSubscriptions(input.events);
  const message = webhookUrlIssue(url, deps.webhookTargets ?? PUBLIC_ONLY);
  if (message !== undefined) {
    throw unprocessable('Events cannot be sent there.', [{ path: 'url', message }]);
  }
  const secret = newWebhookSecret();
  const created = await deps.pool.begin((sql) =>
    createEndpoint(sql, {
      ...{ id: newId(), owner: merchant, url, events, isOrdered: ordered },
      secret: seal(secret, deps.keys, 'webhook secret'),
      createdAt: new Date(deps.clock()),
    }),
  );
  if (created === undefined) {
    throw unprocessable(`You have ${MAX_ENDPOINTS} endpoints, which is the maximum.`);
  }
  return { data: { ...webhookEndpoint(created), secret } };
};
