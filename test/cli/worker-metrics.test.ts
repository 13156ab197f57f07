import { afterEach, beforeEach, expect, it } from 'vitest';
import { workerMetrics } from '../../engine/cli/worker-metrics.ts';
import { openPool } from '../../engine/db/connection.ts';
import { MailNetwork } from '../http/support/mail-network.ts';
import { smallHistory } from '../http/support/small-history.ts';
import { WebhookNetwork } from '../http/support/webhook-network.ts';
import { account } from '../support/history.ts';

let network: MailNetwork;
beforeEach(async () => {
  network = await MailNetwork.open();
});
afterEach(() => network.close());

/** Value of a metric of the outbox. */
async function gaugeOf(
  metrics: ReturnType<typeof workerMetrics>,
  name: string,
  outbox: string,
): Promise<number | undefined> {
  const { text } = await metrics.text();
  const found = new RegExp(`^tributary_outbox_${name}\\{outbox="${outbox}"\\} (\\S+)$`, 'm').exec(
    text,
  );
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

it('reports how many webhooks and mails wait, how late they are, and what is turned off', async () => {
  const metrics = workerMetrics(network.pool);
  const webhooks = new WebhookNetwork(network.fixture, Date.now() - 60_000);
  await webhooks.add({ owner: account(1_000), events: ['sale.recorded'] });
  const gone = await webhooks.add({ owner: account(1_000), events: ['sale.recorded'] });
  await network.confirm(account(14), 'ann@example.com');
  expect(await gaugeOf(metrics, 'queued', 'webhooks')).toBe(0);
  await network.fixture.settle(smallHistory().history.facts);
  await webhooks.publish();
  // Sales 1, 2, 3 and 5 are of the merchant, to two endpoints.
  expect(await gaugeOf(metrics, 'queued', 'webhooks')).toBe(8);
  expect(await gaugeOf(metrics, 'late_seconds', 'webhooks')).toBeGreaterThanOrEqual(60);
  expect(await gaugeOf(metrics, 'late_seconds', 'webhooks')).toBeLessThan(600);
  await network.pool`
    update commerce.webhook_endpoint set enabled = false, disabled_reason = 'It answered 410.'
    where id = ${gone.id}`;
  expect(await gaugeOf(metrics, 'disabled', 'webhooks')).toBe(1);
  await webhooks.drain();
  // What waits for an endpoint that is off is not late.
  expect(await gaugeOf(metrics, 'queued', 'webhooks')).toBe(4);
  expect(await gaugeOf(metrics, 'late_seconds', 'webhooks')).toBe(0);
  expect(await gaugeOf(metrics, 'queued', 'mails')).toBe(0);
  expect(await gaugeOf(metrics, 'disabled', 'mails')).toBe(0);
  metrics.attempt('mails', 'refused');
  const { text } = await metrics.text();
  expect(text).toContain('tributary_outbox_attempts_total{outbox="mails",outcome="refused"} 1');
});

it('serves the other metrics while the database is away', async () => {
  const pool = openPool(network.fixture.databaseUrl, { max: 1 });
  const metrics = workerMetrics(pool);
  await pool.end();
  metrics.attempt('webhooks', 'sent');
  const { text } = await metrics.text();
  expect(text).toContain('tributary_outbox_attempts_total{outbox="webhooks",outcome="sent"} 1');
  expect(await gaugeOf(metrics, 'queued', 'webhooks')).toBeUndefined();
});
