import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../engine/cli/stack/alive.ts';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { downloadSample, surveySample } from '../support/survey.ts';
import { waitFor } from '../support/wait-for.ts';

let dataDir: string;
let port: number;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tributary-start-'));
  await chmod(dataDir, 0o755);
  port = await freePort();
});

/** Child processes of the current test, which are killed after it. */
const running = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of running) {
    const closed = once(child, 'close');
    child.kill('SIGINT');
    await closed;
  }
});

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs the command as a user would. */
function run(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['scripts/tributary.mjs', ...args], {
    cwd: projectRoot,
    env: { ...inheritedEnv(), DATA_DIR: dataDir, PORT: String(port), ...env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  running.add(child);
  const exited = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  return { child, exited, stdout: () => stdout, stderr: () => stderr };
}

/** Waits for the screen. @throws {Error} with the output if the command ends instead. */
async function untilRunning(
  { exited, stdout, stderr }: ReturnType<typeof run>,
  timeout = 120_000,
): Promise<void> {
  const ended = exited.then((code) => {
    throw new Error(`start ended with ${code} before its screen: ${stdout()} ${stderr()}`);
  });
  // The last line of the screen: on a busy machine, the others arrive before it.
  const shown = waitFor(() => stdout().includes('Ctrl-C stops everything'), {
    what: 'the screen',
    timeout,
  });
  await Promise.race([shown, ended]);
}

describe('tributary start', () => {
  it('runs the sample, settles it, verifies every sale, audits and exits 0 with --check', async () => {
    const { exited, stdout, stderr } = run(['start', '--check', '--json']);
    expect({ code: await exited, stderr: stderr() }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout());
    expect(result).toMatchObject({ ok: true, discrepancies: 0, violations: [], failures: [] });
    expect(result.verified).toBeGreaterThanOrEqual(500);
    expect(result.passed).toBe(result.verified);
  }, 240_000);

  it('continues from the last start, serves requests, rejects a second start, and stops on Ctrl-C', async () => {
    const metricsPort = await freePort();
    const collector = await startCollector();
    const started = run(['start'], {
      METRICS_PORT: String(metricsPort),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '200',
    });
    await untilRunning(started);
    const url = `http://127.0.0.1:${port}`;
    expect(started.stdout()).toContain(`API            ${url}`);
    expect(started.stdout()).not.toContain('sample history: ');
    const [, sale] = /tributary verify 31337 (\d+)/.exec(started.stdout()) ?? [];
    const receipt = await fetch(`${url}/v1/receipts/31337/${sale}`);
    expect(receipt.status).toBe(200);

    // Here a leading worker and an indexer are running, unlike in tests with only a database.
    const paths = ['campaigns', 'distributors', 'categories', 'receipts', 'system/status'];
    for (const path of [
      ...paths.map((name) => `/v1/${name}`),
      '/',
      '/openapi.json',
      '/docs',
      '/ready',
    ]) {
      expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 200]);
    }

    expect(started.stdout()).toContain('Profiles, products and orders exist already');
    const site = { apiUrl: url, origin: url };
    // Every method has something to show; only, nothing here costs anything.
    const { requested, empty } = await surveySample(site);
    // No token of the sample refuses a payment.
    const none = ['billing.invoices', 'earnings.credits', 'ledger.discrepancies'];
    expect({ asked: requested > 60, empty: empty.sort() }).toEqual({ asked: true, empty: none });
    expect(await downloadSample(site)).toContain('arrow');

    const worker = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    // Whether there was anything to settle since is for the clock to say.
    expect(worker).toMatch(/^tributary_folded_events_total \d+$/m);
    expect(worker).toContain('# TYPE tributary_batch_seconds histogram');
    const api = await (await fetch(`http://127.0.0.1:${metricsPort + 1}/metrics`)).text();
    expect(api).toMatch(/^tributary_lag_blocks\{stage="total"\} \d+$/m);
    await waitFor(() => collector.services.has('tributary-api'), { what: 'spans of the API' });

    const verified = run(['verify', '31337', String(sale), '--json']);
    expect(await verified.exited).toBe(0);
    expect(JSON.parse(verified.stdout())).toMatchObject({ verdict: 'pass', saleId: sale });
    const status = run(['status']);
    expect(await status.exited).toBe(0);
    expect(status.stdout()).toContain('discrepancies');
    const second = run(['start']);
    expect(await second.exited).toBe(1);
    expect(second.stderr()).toContain('Tributary is already running here');

    const children = childrenOf(started.child.pid ?? 0);
    if (process.platform === 'linux') expect(children.length).toBeGreaterThan(3);
    started.child.kill('SIGINT');
    expect(await started.exited).toBe(0);
    await waitFor(() => children.every((pid) => !isAlive(pid)), { what: 'all parts to be gone' });
    await collector.stop();
  }, 240_000);

  it.runIf(process.platform === 'linux')(
    'brings PostgreSQL and the local chain back after they were killed, and says so',
    async () => {
      const started = run(['start']);
      await untilRunning(started);
      expect(started.stdout()).toContain('Profiles, products and orders exist already');
      const url = `http://127.0.0.1:${port}`;
      const receipt = async () => (await fetch(`${url}/v1/receipts/31337/1`)).status;
      expect(await receipt()).toBe(200);
      process.kill(postmasterOf(dataDir), 'SIGKILL');
      await waitFor(async () => (await receipt()) === 503, { what: 'a 503', interval: 1 });
      await waitFor(async () => (await receipt()) === 200, { what: 'reads', timeout: 60_000 });
      expect(started.stderr()).toContain('PostgreSQL ended unexpectedly: restarting in 500 ms.');
      // The API may use the server before the one who restarts it knows that it runs.
      await waitFor(() => started.stderr().includes('PostgreSQL is running again.'), {
        what: 'the line',
      });

      const headOf = async () => {
        const status = await (await fetch(`${url}/v1/system/status`)).text();
        return /"chain":\{"number":"(\d+)"/.exec(status)?.[1];
      };
      const number = await headOf();
      expect(number).toMatch(/^\d+$/);
      const [anvil] = childrenOf(started.child.pid ?? 0).filter((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]?.endsWith('/anvil'),
      );
      if (anvil === undefined) throw new Error('anvil does not run');
      process.kill(anvil, 'SIGKILL');
      await waitFor(() => started.stderr().includes('The local chain (anvil) is running again.'), {
        what: 'the chain',
        timeout: 60_000,
      });
      const verified = run(['verify', '31337', '1', '--json']);
      expect(await verified.exited).toBe(0);
      expect(await headOf()).toBe(number);
      started.child.kill('SIGINT');
      expect(await started.exited).toBe(0);
    },
    240_000,
  );

  it.runIf(process.platform === 'linux')(
    'comes up on a slow machine: each part gets a quarter of the time, and the indexer stops for 11 s',
    async () => {
      const logFile = join(dataDir, 'logs', 'indexer.log');
      const before = statSync(logFile).size;
      const started = run(['start']);
      const throttled = throttle(started.child.pid ?? 0);
      const indexer = await waitFor(
        () => {
          // It executes our files after this line.
          const said = readFileSync(logFile).subarray(before).includes('Connected to JSON-RPC');
          return said && childrenOf(started.child.pid ?? 0).find(isIndexer);
        },
        { what: 'the indexer to execute our files', timeout: 120_000, interval: 5 },
      );
      throttled.stopFor(indexer, 11_000);
      // A command that has waited for the API finds the deployment.
      const isReady = async () => (await fetch(`http://127.0.0.1:${port}/ready`)).status === 200;
      await waitFor(isReady, { what: 'the API', timeout: 300_000, interval: 20 });
      expect(existsSync(join(dataDir, 'running.json'))).toBe(true);
      await untilRunning(started, 300_000);
      throttled.end();
      const log = readFileSync(logFile).subarray(before).toString();
      expect(log).not.toContain('File execution did not complete');
      expect(started.stderr()).not.toContain('The indexer ended');
      started.child.kill('SIGINT');
      expect(await started.exited).toBe(0);
      expect(started.stderr()).not.toContain('unsettled top-level await');
    },
    480_000,
  );

  it('ends with one sentence and exit code 4 if its port is in use, and sends no request there', async () => {
    const requested: string[] = [];
    const other = createServer((request, response) => {
      requested.push(request.url ?? '');
      response.end('{"data":{"ok":true}}');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const taken = String(typeof address === 'object' ? address?.port : '');
    const { exited, stdout, stderr } = run(['start', '--check'], { PORT: taken });
    expect(await exited).toBe(4);
    expect(stderr().trim().split('\n')).toEqual([
      `Port ${taken} is in use by another program: stop it, or set PORT to another port.`,
    ]);
    expect({ stdout: stdout(), asked: requested }).toEqual({ stdout: '', asked: [] });
    other.closeAllConnections();
    other.close();
  });

  it('exits 3 with a sentence if no API is running', async () => {
    const status = run(['status']);
    expect(await status.exited).toBe(3);
    expect(status.stderr()).toContain('Is it running?');
  });

  it('ends with one sentence for each wrong variable', async () => {
    const { exited, stderr } = run(['start'], { PORT: '0', CHAIN_ID: '1' });
    expect(await exited).toBe(1);
    const sentences = stderr().trim().split('\n');
    expect(sentences).toHaveLength(4);
    expect(sentences[0]).toContain('PORT must be a whole number from 1 to 65535');
  });

  it('exits 2 on a wrong command line', async () => {
    const { exited, stderr } = run(['verify', '31337', 'seven']);
    expect(await exited).toBe(2);
    expect(stderr()).toContain('"seven" is not a whole number above zero');
  });
});

/** An OpenTelemetry collector that notes which services sent it spans. */
async function startCollector() {
  const services = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const [name] = /tributary-(api|worker)/.exec(Buffer.concat(chunks).toString('latin1')) ?? [];
      if (name !== undefined && request.url === '/v1/traces') services.add(name);
      response.writeHead(200).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the collector has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    services,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Process id of the embedded PostgreSQL of a folder. */
function postmasterOf(folder: string): number {
  const file = join(folder, 'postgres', 'data', 'postmaster.pid');
  return Number(readFileSync(file, 'utf8').split('\n')[0]);
}

/** Milliseconds of each cycle in which the parts of a throttled start run, and in which they do not. */
const CYCLE = { running: 100, stopped: 300 } as const;

/** Stops all parts of a start again and again, so that they get a quarter of the time. */
function throttle(pid: number) {
  let running = true;
  /** Processes that do not run until a time. */
  const stalled = new Map<number, number>();
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const child of childrenOf(pid)) {
      if (name === 'SIGCONT' && (stalled.get(child) ?? 0) > performance.now()) continue;
      if (isAlive(child)) process.kill(child, name);
    }
  };
  const cycle = async () => {
    while (running) {
      signal('SIGSTOP');
      await setTimeout(CYCLE.stopped);
      signal('SIGCONT');
      await setTimeout(CYCLE.running);
    }
  };
  void cycle();
  return {
    stopFor(child: number, ms: number) {
      stalled.set(child, performance.now() + ms);
      process.kill(child, 'SIGSTOP');
    },
    end() {
      running = false;
      stalled.clear();
      signal('SIGCONT');
    },
  };
}

function isIndexer(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('ponder/run.mjs');
}

/** Process ids of all children, on Linux, where there is a list of them. */
function childrenOf(pid: number): number[] {
  if (process.platform !== 'linux') return [];
  const tasks = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return tasks.trim().split(' ').filter(Boolean).map(Number);
}
