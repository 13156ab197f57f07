import { createEndpoint } from '../../engine/db/commerce/webhook-endpoints.ts';
import { openPool } from '../../engine/db/connection.ts';
import { publishEvents } from '../../engine/jobs/webhooks/publish.ts';
import { deriveKeys } from '../../engine/secrets/keys.ts';
import { seal } from '../../engine/secrets/seal.ts';
import { newWebhookSecret } from '../../engine/secrets/webhook-secret.ts';
import { account } from '../../test/support/history.ts';
import { merchantOf, type SaleHistory } from '../data/sale-history.ts';

/** Keys that seal the secrets of the endpoints. */
export const keys = deriveKeys(['a secret of benchmarks, 32 characters or more']);

/** Deployment that the messages name. */
export const deployment = {
  chainId: 31_337,
  contractAddress: account(0xc0ffee),
  publicUrl: 'https://shop.example',
};

/** Makes an endpoint for the merchant of each campaign, which gets its recorded sales. */
export async function addEndpoints(
  databaseUrl: string,
  { campaigns }: SaleHistory,
  url: string,
): Promise<void> {
  const pool = openPool(databaseUrl, { max: 1 });
  try {
    for (let campaign = 1; campaign <= campaigns; campaign += 1) {
      await createEndpoint(pool, {
        ...{ id: `endpoint-${campaign}`, owner: merchantOf(campaign), url, isOrdered: false },
        events: ['sale.recorded'],
        secret: seal(newWebhookSecret(), keys, 'webhook secret'),
        createdAt: new Date(),
      });
    }
  } finally {
    await pool.end();
  }
}

/** Makes the deliveries of everything that is settled, and sends none. */
export async function publishAll(databaseUrl: string): Promise<void> {
  const pool = openPool(databaseUrl, { max: 1 });
  const log = { warn: (fields: object, message: string) => console.error(message, fields) };
  try {
    while (await publishEvents({ pool, deployment, clock: Date.now, log }));
  } finally {
    await pool.end();
  }
}
