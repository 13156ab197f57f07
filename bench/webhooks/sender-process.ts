/** A process that sends webhooks as `tributary worker` does, or posts the same bodies and nothing else. */
import { once } from 'node:events';
import { request } from 'undici';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { runWebhooks } from '../../engine/jobs/webhooks/run-webhooks.ts';
import { WebhookSender } from '../../engine/jobs/webhooks/send.ts';
import { deployment, keys } from './database.ts';
import type { SenderSettings } from './sender.ts';

const { databaseUrl, mode, concurrency, url }: SenderSettings = JSON.parse(process.argv[2] ?? '{}');
const pool = openPool(databaseUrl, { max: 14, applicationName: 'bench webhooks' });
const start = await (mode === 'service' ? prepareService(pool) : preparePosts(pool));
process.send?.('ready');
await once(process, 'message');
const stop = await start();
await once(process, 'message');
await stop();
await pool.end();
process.disconnect();

/** Makes the deliveries and sends them until it is stopped. */
async function prepareService(pool: Pool) {
  const sender = new WebhookSender({ allowCidrs: [], allowLoopback: true });
  const print = (fields: object, message: string) => console.error(message, fields);
  return async () => {
    const running = await runWebhooks({
      ...{ pool, keys, sender, deployment },
      ...{ clock: Date.now, random: Math.random, log: { warn: print, error: print } },
    });
    return async () => {
      await running.stop();
      await sender.close();
    };
  };
}

/** Posts bodies that were made before. */
async function preparePosts(pool: Pool) {
  const events = await pool<{ id: string; body: string }[]>`
    select id, body::text from commerce.webhook_event order by number`;
  return async () => {
    const waiting = events[Symbol.iterator]();
    const post = async () => {
      for (const { id, body } of waiting) {
        const headers = { 'content-type': 'application/json', 'webhook-id': id };
        const { statusCode, body: answer } = await request(url, { method: 'POST', headers, body });
        await answer.dump();
        if (statusCode !== 204) throw new Error(`the receiver answered ${statusCode}`);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, post));
    return async () => {};
  };
}
