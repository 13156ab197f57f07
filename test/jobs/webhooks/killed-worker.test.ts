import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Child, cliCommand, spawnChild } from '../../../engine/cli/stack/processes.ts';
import { createEndpoint, queueTest } from '../../../engine/db/commerce/webhook-endpoints.ts';
import { sessionName } from '../../../engine/db/connection.ts';
import { deriveKeys } from '../../../engine/secrets/keys.ts';
import { seal } from '../../../engine/secrets/seal.ts';
import { ApiFixture } from '../../http/support/api-fixture.ts';
import { smallHistory } from '../../http/support/small-history.ts';
import { SECRET } from '../../http/support/webhook-network.ts';
import { answering, FailingReceiver } from '../../support/failing-receiver.ts';
import { account } from '../../support/history.ts';
import { holdLocks } from '../../support/locks.ts';
import { waitFor } from '../../support/wait-for.ts';

const DEPLOYMENT_SECRET = 'a secret of these tests, 32 characters';
const ENDPOINT = 'endpoint-1';

describe('a worker that is killed between the answer of a receiver and its commit', () => {
  let fixture: ApiFixture;
  let receiver: FailingReceiver;
  let logs: string;
  const workers: Child[] = [];

  beforeEach(async () => {
    fixture = await ApiFixture.open({ keys: deriveKeys([DEPLOYMENT_SECRET]) });
    receiver = await FailingReceiver.start();
    logs = await mkdtemp(join(tmpdir(), 'tributary-worker-'));
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.kill()));
    await receiver.close();
    await fixture.close();
    await rm(logs, { recursive: true });
  });

  /** Starts `tributary worker`. It sends webhooks, and settles nothing: no RPC is at its URL. */
  function startWorker(): Child {
    const { chainId, contractAddress } = fixture.deps.deployment;
    const worker = spawnChild({
      name: 'worker',
      ...cliCommand(['worker']),
      env: {
        DATABASE_URL: fixture.databaseUrl,
        CHAIN_ID: String(chainId),
        RPC_URL: 'http://127.0.0.1:1',
        CONTRACT_ADDRESS: contractAddress,
        START_BLOCK: '0',
        SECRET: DEPLOYMENT_SECRET,
        DESIGNED_METHODS: 'webhooks',
      },
      logFile: join(logs, `worker-${workers.length}.log`),
    });
    workers.push(worker);
    return worker;
  }

  /** States of the sessions of workers in the test's database, with the statements that wait for a lock. */
  async function workerSessions(): Promise<{ readonly blocked: string | null }[]> {
    return await fixture.pool<{ blocked: string | null }[]>`
      select case when wait_event_type = 'Lock' then query end as blocked from pg_stat_activity
      where datname = current_database() and application_name = ${sessionName('worker')}`;
  }

  async function queueTestEvent(id: string): Promise<void> {
    const body = JSON.stringify({ type: 'webhook.test', data: { eventId: id } });
    const test = { id: `delivery_of_${id}`, endpointId: ENDPOINT, eventId: id };
    await queueTest(fixture.pool, { ...test, type: 'webhook.test', body }, new Date());
  }

  const deliveries = () => fixture.pool`
    select event.type, delivery.status, delivery.attempt from commerce.webhook_delivery delivery
    join commerce.webhook_event event on event.number = delivery.event_number
    order by delivery.event_number`;

  const isDelivered = (number: number) =>
    waitFor(async () => (await deliveries())[number]?.status === 'delivered', {
      what: `delivery ${number} to arrive`,
      timeout: 60_000,
    });

  it('leaves the delivery to another worker, which sends it once more under the same id after the lease', async () => {
    await createEndpoint(fixture.pool, {
      ...{ id: ENDPOINT, owner: account(1_000), url: receiver.url(), isOrdered: false },
      events: ['campaign.created'],
      secret: seal(SECRET, fixture.deps.keys, 'webhook secret'),
      createdAt: new Date(),
    });
    await fixture.settle(smallHistory().history.facts.slice(0, 1));
    // The receiver answers when the delivery is locked.
    let release = async () => {};
    receiver.behave = (response) => {
      void holdLocks(
        fixture.pool,
        (sql) => sql`select 1 from commerce.webhook_delivery for no key update`,
      ).then((unlock) => {
        release = unlock;
        response.writeHead(204).end();
      });
    };
    const killed = startWorker();
    await waitFor(
      async () => (await workerSessions()).some(({ blocked }) => blocked?.includes('webhook')),
      { what: 'the worker to store the answer', timeout: 60_000 },
    );
    expect(await killed.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    await release();
    await waitFor(async () => (await workerSessions()).length === 0, {
      what: 'the sessions of the killed worker to end',
    });
    expect(receiver.received).toHaveLength(1);
    const leased = { type: 'campaign.created', status: 'sending', attempt: 1 };
    expect(await deliveries()).toEqual([leased]);
    const attempts = () => fixture.pool`
      select attempt, http_status, error from commerce.webhook_attempt
      where delivery_id not like 'delivery_of_%' order by attempt`;
    expect(await attempts()).toEqual([]);

    // Another worker sends what is due, and leaves the delivery alone while its lease runs.
    receiver.behave = answering(204);
    await queueTestEvent('test_1');
    const other = startWorker();
    await isDelivered(1);
    expect((await deliveries())[0]).toEqual(leased);
    await fixture.pool`
      update commerce.webhook_delivery set lease_until = now() - interval '1 second'
      where status = 'sending'`;
    await isDelivered(0);
    await queueTestEvent('test_2');
    await isDelivered(2);

    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([expect.stringMatching(/^evt_/), 'test_1', ids[0], 'test_2']);
    const [first, , second] = receiver.received;
    expect(second?.body).toBe(first?.body);
    for (const { headers, body } of receiver.received) {
      expect(() => new Webhook(SECRET).verify(body, headers as never)).not.toThrow();
    }
    expect(await attempts()).toEqual([
      {
        attempt: 1,
        http_status: null,
        error: 'The service stopped during this attempt. The request may have arrived.',
      },
      { attempt: 2, http_status: 204, error: null },
    ]);
    expect(await other.stop()).toMatchObject({ signal: null });
  }, 150_000);
});
