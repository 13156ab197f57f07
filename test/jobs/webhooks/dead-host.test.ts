import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEndpoint } from '../../../engine/db/commerce/webhook-endpoints.ts';
import { type Running, runWebhooks } from '../../../engine/jobs/webhooks/run-webhooks.ts';
import { WebhookSender } from '../../../engine/jobs/webhooks/send.ts';
import { seal } from '../../../engine/secrets/seal.ts';
import { ApiFixture } from '../../http/support/api-fixture.ts';
import { smallHistory } from '../../http/support/small-history.ts';
import { SECRET } from '../../http/support/webhook-network.ts';
import { answering, FailingReceiver } from '../../support/failing-receiver.ts';
import { account } from '../../support/history.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A merchant and four distributors, each with as many endpoints as an account may have. */
const OWNERS = [1_000, 11, 12, 13, 14].map((number) => account(number));
const ENDPOINTS_PER_OWNER = 20;
const DEAD = 'endpoint-0-0';

/** The clock does not move, so that no lease and no pause ends while the test runs. */
const NOW = Date.UTC(2026, 0, 2);

describe('a host that never answers, among 100 endpoints', () => {
  let fixture: ApiFixture;
  let living: FailingReceiver;
  let dead: FailingReceiver;
  const sender = new WebhookSender({ allowCidrs: [], allowLoopback: true, totalMs: 600_000 });
  const processes: Running[] = [];

  beforeEach(async () => {
    fixture = await ApiFixture.open();
    [living, dead] = await Promise.all([FailingReceiver.start(), FailingReceiver.start()]);
    living.behave = answering(204);
    dead.behave = () => {};
  });
  afterEach(async () => {
    const stopped = processes.splice(0).map((one) => one.stop());
    await dead.close();
    await Promise.all(stopped);
    await sender.close();
    await living.close();
    await fixture.close();
  });

  async function addEndpoints(): Promise<void> {
    for (const [i, owner] of OWNERS.entries()) {
      for (let j = 0; j < ENDPOINTS_PER_OWNER; j += 1) {
        const id = `endpoint-${i}-${j}`;
        const made = await createEndpoint(fixture.pool, {
          ...{ id, owner, events: ['*'], isOrdered: false, createdAt: new Date(NOW) },
          url: id === DEAD ? dead.url() : `http://127.0.0.1:${living.port}/${id}`,
          secret: seal(SECRET, fixture.deps.keys, 'webhook secret'),
        });
        expect(made).toBeDefined();
      }
    }
  }

  async function startProcess(): Promise<void> {
    const { pool, deps } = fixture;
    const { deployment, publicUrl, keys, logger } = deps;
    const running = await runWebhooks({
      ...{ pool, keys, sender, log: logger, clock: () => NOW, random: () => 0.5 },
      deployment: { ...deployment, publicUrl },
    });
    processes.push(running);
  }

  /** Numbers of deliveries by status, of the dead endpoint or of the others. */
  async function countByStatus(of: 'dead' | 'others'): Promise<Record<string, number>> {
    const rows = await fixture.pool<{ status: string; count: number }[]>`
      select status, count(*)::int as count from commerce.webhook_delivery
      where (endpoint_id = ${DEAD}) = ${of === 'dead'} group by status`;
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  it('delays no other endpoint, and holds four connections however many processes send', async () => {
    await addEndpoints();
    await fixture.settle(smallHistory().history.facts);
    await Promise.all([startProcess(), startProcess()]);
    const others = await waitFor(
      async () => {
        const counts = await countByStatus('others');
        return Object.keys(counts).join() === 'delivered' && counts;
      },
      { what: 'every delivery to the other endpoints', timeout: 150_000 },
    );

    // The dead host still waits for the end of its first attempts.
    const { sending, queued = 0, ...ended } = await countByStatus('dead');
    expect([sending, ended]).toEqual([4, {}]);
    expect(dead.received).toHaveLength(4);
    expect([dead.connections, dead.open]).toEqual([4, 4]);

    // Endpoints of one account get the same events, each of them once.
    const received = new Map<string, string[]>();
    for (const { path = '', headers } of living.received) {
      const ids = received.get(path) ?? [];
      received.set(path, [...ids, String(headers['webhook-id'])]);
    }
    expect(received.size).toBe(OWNERS.length * ENDPOINTS_PER_OWNER - 1);
    expect(living.received).toHaveLength(others.delivered ?? 0);
    for (const i of OWNERS.keys()) {
      const ids = new Set(received.get(`/endpoint-${i}-1`));
      expect(ids.size).toBeGreaterThan(1);
      for (let j = i === 0 ? 1 : 0; j < ENDPOINTS_PER_OWNER; j += 1) {
        const own = received.get(`/endpoint-${i}-${j}`) ?? [];
        expect(own).toHaveLength(ids.size);
        expect(new Set(own)).toEqual(ids);
      }
    }
    expect(4 + queued).toBe(new Set(received.get('/endpoint-0-1')).size);
  }, 180_000);
});
