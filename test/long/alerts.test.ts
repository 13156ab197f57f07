import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { type Child, cliCommand, spawnChild } from '../../engine/cli/stack/processes.ts';
import { type AlarmName, alarmNames } from '../../engine/http/operations/watchdogs.ts';
import { openQueue } from '../../engine/queue/settle-queue.ts';
import { alertNameOf } from '../../scripts/monitoring/alerts.ts';
import { dashboards } from '../../scripts/monitoring/dashboards.ts';
import { startTestChain, type TestChain } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { type Monitoring, monitoringAvailable, startMonitoring } from '../support/monitoring.ts';
import {
  honest,
  type Lie,
  RpcRefusal,
  startTraitRpc,
  type TraitRpc,
} from '../support/rpc-traits/proxy.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

const TOKEN = 'a token for reading metrics';

/** Alarms that arrived with all that they must have. */
const arrived = new Set<AlarmName>();

describe.skipIf(!monitoringAvailable)('Prometheus and Alertmanager with the shipped files', () => {
  let chain: TestChain;
  let traffic: Traffic;
  let rpcs: [TraitRpc, TraitRpc];
  let deployment: TestDeployment;
  let api: Child;
  let apiPort: number;
  let workerPort: number;
  let monitoring: Monitoring;

  beforeAll(async () => {
    chain = await startTestChain();
    traffic = await Traffic.start(chain, 17, 3);
    await traffic.play(10);
    rpcs = [await startTraitRpc(chain.anvil.url), await startTraitRpc(chain.anvil.url)];
    deployment = await TestDeployment.open(chain);
    await deployment.startIndexer();
    [apiPort, workerPort] = [await freePort(), await freePort()];
    startWorker();
    await deployment.settledToHead(150_000);
    api = spawnChild({
      name: 'api',
      ...cliCommand(['api']),
      env: {
        ...deployment.variables(),
        PORT: String(apiPort),
        METRICS_TOKEN: TOKEN,
        STALL_SECONDS: '3',
      },
      logFile: join(chain.dir, 'api.log'),
    });
    await waitFor(async () => (await fetch(`http://127.0.0.1:${apiPort}/ready`)).ok, {
      what: 'the API to be ready',
      timeout: 60_000,
    });
    monitoring = await startMonitoring(
      join(chain.dir, 'monitoring'),
      {
        api: `127.0.0.1:${apiPort}`,
        worker: `127.0.0.1:${workerPort}`,
        indexer: `127.0.0.1:${await deployment.indexer.port()}`,
      },
      TOKEN,
    );
    await untilHealthy();
  }, 300_000);

  afterAll(async () => {
    await monitoring?.stop();
    await api?.stop();
    await deployment?.close();
    await Promise.all((rpcs ?? []).map((rpc) => rpc.stop()));
    await chain?.stop();
  });

  function startWorker(): void {
    deployment.startWorker({
      RPC_URL: rpcs.map(({ url }) => url).join(','),
      RPC_QUORUM: '2',
      METRICS_PORT: String(workerPort),
      METRICS_TOKEN: TOKEN,
    });
  }

  /** Waits until Prometheus reads all parts, and no alarm is open. */
  async function untilHealthy(): Promise<void> {
    await waitFor(
      async () => {
        const [parts, alarms] = await Promise.all([
          monitoring.query('up == 1'),
          monitoring.query('tributary:alarms:max'),
        ]);
        const open = alarms.filter(({ value }) => value[1] !== '0');
        return parts.length === 3 && alarms.length === alarmNames.length && open.length === 0;
      },
      { what: 'all parts to be up, without an alarm', timeout: 60_000, interval: 250 },
    );
  }

  /** Waits for an alert of the receiver. */
  async function alert(alertname: string, status: 'firing' | 'resolved', after: number) {
    return await waitFor(
      () =>
        monitoring.received
          .slice(after)
          .find((one) => one.labels.alertname === alertname && one.status === status),
      { what: `${alertname} to be ${status}`, timeout: 60_000, interval: 100 },
    );
  }

  /** Brings about alarms, waits until each arrives with what a person needs, and ends them again. */
  async function bringAbout(
    names: readonly AlarmName[],
    cause: () => Promise<unknown> | unknown,
    end: () => Promise<unknown> | unknown,
    meanwhile: () => Promise<unknown> = async () => {},
  ): Promise<void> {
    const after = monitoring.received.length;
    try {
      await cause();
      for (const name of names) {
        const { labels, annotations, receiver } = await alert(alertNameOf(name), 'firing', after);
        expect(labels).toMatchObject({ name, deployment: 'main' });
        expect(annotations.runbook_url).toMatch(
          new RegExp(`^https://.+/docs/operate/alarms\\.md#${name}$`),
        );
        expect(annotations.summary).not.toBe('');
        expect(receiver).toBe(labels.severity === 'critical' ? '/pager' : '/tickets');
        arrived.add(name);
      }
      await meanwhile();
    } finally {
      await end();
    }
    for (const name of names) await alert(alertNameOf(name), 'resolved', after);
    await untilHealthy();
  }

  it('shows data in each panel of the dashboards', async () => {
    for (let i = 0; i < 5; i += 1) {
      await fetch(`http://127.0.0.1:${apiPort}/v1/campaigns/1`);
      await traffic.play(1);
    }
    await deployment.settledToHead();
    const panels = dashboards.flatMap((dashboard) =>
      dashboard.panels.map((panel) => ({ ...panel, of: dashboard.uid })),
    );
    for (const { of, title, queries, mayBeEmpty } of panels) {
      for (const { expr } of queries) {
        // As Grafana does for the deployment "All".
        const asked = expr.replaceAll('$deployment', '.*').replaceAll('$__rate_interval', '30s');
        const has = async () => (await monitoring.query(asked)).length > 0;
        if (mayBeEmpty) await has();
        else await waitFor(has, { what: `data of ${of}, ${title}: ${asked}`, interval: 250 });
      }
    }
  }, 120_000);

  it('delivers alarms about single campaigns, RPCs and the relayer, and of a queue that is away', async () => {
    const { pool } = deployment;
    await bringAbout(
      [
        ...(['campaign-stopped', 'discrepancies', 'audit-failed', 'queue-away'] as const),
        ...(['rpc-unwell', 'relayer-unwell'] as const),
      ],
      async () => {
        await pool`
          insert into commerce.relayer (address, seen_at, balance, fee_per_gas, max_fee_per_gas,
            max_gas, merchant_budget, total_budget)
          values (${`0x${'0'.repeat(40)}`}, now(), 0, 1, 1, 1, 1, 1)`;
        await pool`
          insert into ledger.rpc_health (part, place, state, since, disagreements)
          values ('indexer', 9, 'refused', now() - interval '2 minutes', 0)`;
        await pool`
          insert into ledger.cursor (campaign_id, digest, stopped_at, stopped_reason)
          values (999999, ${`0x${'0'.repeat(64)}`}, now(), 'brought about by a test')`;
        await pool`
          insert into ledger.discrepancy (campaign_id, seq, ordinal, kind, expected, actual)
          values (1, 1, 0, 'POOL', '1', '2')`;
        await pool`
          insert into ledger.audit_finding (campaign_id, invariant, level, sentence)
          values (1, 'rewards add up', 1, 'They do not.')`;
        await pool`alter schema queue rename to queue_away`;
      },
      async () => {
        await pool`alter schema queue_away rename to queue`;
        await pool`delete from ledger.rpc_health where place = 9`;
        await pool`delete from ledger.cursor where campaign_id = 999999`;
        await pool`delete from commerce.relayer`;
        await pool`truncate ledger.discrepancy, ledger.audit_finding`;
      },
    );
  }, 120_000);

  it('delivers alarms of an RPC that is away, that disagrees, and that differs from the rows', async () => {
    const lie = (...lies: readonly Lie[]) => {
      rpcs.forEach((rpc, i) => {
        rpc.lie = lies[i] ?? honest;
      });
    };
    const answerTruthfully = () => lie();
    const away: Lie = () => {
      throw new RpcRefusal('The node is being restarted.', -32_000);
    };
    await bringAbout(['rpc-away'], () => lie(away, away), answerTruthfully);
    let wasAway = false;
    await bringAbout(
      ['rpc-of-other-chain'],
      () =>
        lie(honest, (result, call) => {
          if (call.method === 'eth_chainId') return '0x5';
          // Only after a failure is it compared again.
          if (!wasAway) wasAway = true;
          else return result;
          return away(result, call);
        }),
      answerTruthfully,
    );
    await bringAbout(
      ['rpcs-disagree'],
      async () => {
        lie(honest, withoutLogs);
        await traffic.play(3);
      },
      answerTruthfully,
    );
    await bringAbout(
      ['facts-mismatch'],
      async () => {
        lie(withoutLogs, withoutLogs);
        await traffic.play(3);
      },
      answerTruthfully,
    );
  }, 180_000);

  it('delivers the alarm of an indexer that is frozen, and that it does not respond', async () => {
    const { pid } = deployment.indexer;
    await bringAbout(
      ['indexer-stalled'],
      async () => {
        process.kill(-pid, 'SIGSTOP');
        await traffic.play(2);
      },
      () => process.kill(-pid, 'SIGCONT'),
      async () => {
        // Another target may have been slow before.
        const { receiver } = await waitFor(
          () =>
            monitoring.received.find(
              ({ labels, status }) =>
                labels.alertname === 'TributaryTargetDown' &&
                labels.job === 'tributary-indexer' &&
                status === 'firing',
            ),
          { what: 'the alert of the indexer', timeout: 60_000, interval: 100 },
        );
        expect(receiver).toBe('/tickets');
      },
    );
  }, 120_000);

  /**
   * Replaces the worker by writes of the time of its poll: it polls the chain, and settles nothing.
   * @param behindSeconds for how long the settled block has been behind.
   * @returns a function that ends the writes.
   */
  async function replaceWorker(behindSeconds: number | null): Promise<() => void> {
    await Promise.all(deployment.workers.splice(0).map((worker) => worker.stop()));
    const poll = setInterval(() => {
      deployment.pool`
        update ledger.head set updated_at = clock_timestamp(),
          settled_behind_since = clock_timestamp() - make_interval(secs => ${behindSeconds}::int)
      `.catch(() => {});
    }, 500);
    return () => clearInterval(poll);
  }

  it('delivers the alarm of a settlement that does not move', async () => {
    let endPolls = () => {};
    await bringAbout(
      ['settlement-stalled'],
      async () => {
        endPolls = await replaceWorker(10);
      },
      () => {
        endPolls();
        startWorker();
      },
    );
  }, 120_000);

  it('delivers alarms of a queue that does not drain and of a missing worker, and then that no API responds', async () => {
    const { database } = deployment;
    const queue = await openQueue({ redisUrl: undefined, databaseUrl: database.url, prefix: '' });
    const before = monitoring.received.length;
    let endPolls = () => {};
    await bringAbout(
      ['queue-stuck'],
      async () => {
        endPolls = await replaceWorker(null);
        await queue.push([['900000']]);
      },
      async () => {
        startWorker();
        // Until its end is reported: without polls the missing worker would hold that back again.
        await alert(alertNameOf('queue-stuck'), 'resolved', before);
        endPolls();
      },
      async () => {
        endPolls();
        const { labels } = await alert(alertNameOf('no-worker'), 'firing', 0);
        expect(labels).toMatchObject({ name: 'no-worker', severity: 'critical' });
        arrived.add('no-worker');
        await waitFor(async () => (await monitoring.inhibited()).includes('TributaryQueueStuck'), {
          what: 'the alert that follows from it to be held back',
        });
        // Alertmanager forgets an alert that ends while it is held back, without a word.
        endPolls = await replaceWorker(null);
        await alert(alertNameOf('no-worker'), 'resolved', before);
      },
    );
    await queue.close();
    const after = monitoring.received.length;
    await api.stop();
    const { annotations } = await alert('TributaryNoApi', 'firing', after);
    expect(annotations.runbook_url).toMatch(/docs\/operate\/alarms\.md#no-api$/);
  }, 120_000);

  it('delivers every alarm that there is', () => {
    expect([...arrived].sort()).toEqual([...alarmNames].sort());
  });
});

/** Withholds the logs of every block. */
const withoutLogs: Lie = (result, { method }) => {
  if (!Array.isArray(result)) return result;
  if (method === 'eth_getLogs') return [];
  if (method === 'eth_getBlockReceipts') return result.map((receipt) => ({ ...receipt, logs: [] }));
  return result;
};
