import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive, isZombie } from '../../engine/cli/stack/alive.ts';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { buy, createCampaign, fund, giveTokens } from '../support/actions.ts';
import { accountAt, deployToken, type TestChain, testClient } from '../support/chain.ts';
import { runCli } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

/** Milliseconds until everything is back on a busy machine. */
const BACK_MS = 240_000;

/**
 * The whole system as `npm start` runs it, while sales are sent. Each of its processes is killed as by `kill -9`, and at
 * last the one that restarts the others.
 */
describe.runIf(process.platform === 'linux')('after kill -9 of each process under load', () => {
  let dataDir: string;
  let env: Record<string, string>;
  let url: string;
  let started: Started;
  let load: Load;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tributary-kill-'));
    await chmod(dataDir, 0o755);
    const port = await freePort();
    env = { DATA_DIR: dataDir, PORT: String(port) };
    url = `http://127.0.0.1:${port}`;
    started = await start(env);
    load = await Load.open(await chainOf(dataDir));
  }, 300_000);

  afterAll(async () => {
    await load?.stop();
    if (started !== undefined) await started.stop();
    await rm(dataDir, { recursive: true, force: true });
  }, 180_000);

  /** Waits until a sale that was sent after now is served. */
  async function expectServed(): Promise<void> {
    const saleId = await load.nextSale();
    const isServed = async () => (await fetch(`${url}/v1/receipts/31337/${saleId}`)).status === 200;
    await waitFor(isServed, { what: `sale ${saleId} to be served`, timeout: BACK_MS });
  }

  it.each([
    { name: 'the API', find: (pid: number) => childOf(pid, /tributary\.mjs api/) },
    { name: 'the worker', find: (pid: number) => childOf(pid, /tributary\.mjs worker/) },
    { name: 'the indexer', find: (pid: number) => childOf(pid, /ponder\/run\.mjs start/) },
    { name: 'the local chain', find: (pid: number) => childOf(pid, /\/anvil /) },
    { name: 'PostgreSQL', find: () => postmasterOf(dataDir) },
    { name: 'the guard', find: (pid: number) => childOf(pid, /guard\.mjs/) },
  ])(
    'serves new sales again after a kill of $name',
    async ({ find }) => {
      await expectServed();
      process.kill(find(started.pid), 'SIGKILL');
      await expectServed();
      expect(started.hasEnded()).toBe(false);
    },
    2 * BACK_MS,
  );

  it(
    'leaves no process behind if start itself is killed, and continues at the next start',
    async () => {
      const children = childrenOf(started.pid);
      expect(children.length).toBeGreaterThan(4);
      process.kill(started.pid, 'SIGKILL');
      // Without a pause, while the guard still ends the others.
      started = await start(env);
      expect(children.filter((pid) => isAlive(pid) && !isZombie(pid))).toEqual([]);
      await load.follow(await chainOf(dataDir));
      await expectServed();
    },
    2 * BACK_MS,
  );

  it(
    'ends what was left if its guard was killed too',
    async () => {
      const children = childrenOf(started.pid);
      const guard = childOf(started.pid, /guard\.mjs/);
      process.kill(started.pid, 'SIGSTOP');
      process.kill(guard, 'SIGKILL');
      process.kill(started.pid, 'SIGKILL');
      const left = children.filter((pid) => pid !== guard);
      expect(left.filter((pid) => isAlive(pid)).length).toBeGreaterThan(3);
      started = await start(env);
      expect(left.filter((pid) => isAlive(pid) && !isZombie(pid))).toEqual([]);
      await load.follow(await chainOf(dataDir));
      await expectServed();
    },
    2 * BACK_MS,
  );

  it(
    'loses and invents nothing: the audit finds no violation and no discrepancy',
    async () => {
      await expectServed();
      await load.stop();
      const status = async () => {
        const response = await fetch(`${url}/v1/system/status`);
        return ((await response.json()) as { data: Status }).data;
      };
      await waitFor(
        async () => {
          const { chain, settled } = await status();
          return chain.number === settled.number;
        },
        { what: 'everything to be settled', timeout: BACK_MS },
      );
      const { stdout, stderr } = await runCli(['audit', '--json'], env);
      expect(JSON.parse(stdout || stderr)).toMatchObject({
        ok: true,
        violations: [],
        discrepancies: 0,
      });
      const alarms = async () => (await status()).alarms;
      await waitFor(async () => (await alarms()).length === 0, {
        what: 'no alarm',
        timeout: 60_000,
      });
      const { stopped } = await status();
      expect(stopped).toEqual([]);
      const last = String(await load.lastSale());
      const verified = await runCli(['verify', '31337', last, '--json'], env);
      expect(JSON.parse(verified.stdout || verified.stderr)).toMatchObject({ verdict: 'pass' });
    },
    2 * BACK_MS,
  );
});

/** Part of the answer of `system.status`. */
interface Status {
  readonly chain: { readonly number: string };
  readonly settled: { readonly number: string };
  readonly alarms: readonly string[];
  readonly stopped: readonly unknown[];
}

interface Started {
  readonly pid: number;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** Runs `tributary start` until its screen is shown. */
async function start(env: Readonly<Record<string, string>>): Promise<Started> {
  const child: ChildProcess = spawn(process.execPath, ['scripts/tributary.mjs', 'start'], {
    cwd: projectRoot,
    env: { ...inheritedEnv(), ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const closed = once(child, 'close');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await waitFor(() => hasEnded() || output.includes('Tributary is running'), {
    what: 'the screen',
    timeout: BACK_MS,
  }).catch((error: unknown) => {
    throw new Error(`${error}\n${output.slice(-4_000)}`);
  });
  if (hasEnded()) throw new Error(`start ended: ${output.slice(-4_000)}`);
  const { pid } = child;
  if (pid === undefined) throw new Error('start has no process');
  return {
    pid,
    hasEnded,
    stop: async () => {
      child.kill('SIGINT');
      await closed;
    },
  };
}

/** The local chain of a start. */
async function chainOf(dataDir: string): Promise<TestChain> {
  const running = JSON.parse(await readFile(join(dataDir, 'running.json'), 'utf8'));
  const client = testClient(running.rpcUrl);
  return {
    client,
    contract: running.contractAddress,
    accounts: await client.getAddresses(),
    chainId: running.chainId,
  } as unknown as TestChain;
}

/** Sales that are sent one after the other, whatever fails in between. */
class Load {
  #chain: TestChain;
  readonly #campaign: bigint;
  #running = true;
  #work: Promise<void> = Promise.resolve();
  #sales: bigint[] = [];

  private constructor(chain: TestChain, campaign: bigint) {
    this.#chain = chain;
    this.#campaign = campaign;
  }

  static async open(chain: TestChain): Promise<Load> {
    const [merchant, buyer] = [accountAt(chain.accounts, 1), accountAt(chain.accounts, 2)];
    const token = await deployToken(chain);
    const campaign = await createCampaign(chain, merchant, token);
    await fund(chain, { id: campaign, token }, merchant, 10n ** 12n);
    await giveTokens(chain, token, buyer, 10n ** 15n);
    const load = new Load(chain, campaign);
    load.#work = load.#send();
    return load;
  }

  /** Sends to the chain of another start. */
  async follow(chain: TestChain): Promise<void> {
    this.#chain = chain;
  }

  /** Id of the second sale from now on: the first may have been sent before. */
  async nextSale(): Promise<bigint> {
    const { length } = this.#sales;
    const what = 'a sale to be sent';
    const sale = await waitFor(() => this.#sales[length + 1], { what, timeout: BACK_MS });
    return sale;
  }

  lastSale(): bigint | undefined {
    return this.#sales.at(-1);
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#work;
  }

  async #send(): Promise<void> {
    while (this.#running) {
      const buyer = accountAt(this.#chain.accounts, 2);
      try {
        const { saleId } = await buy(this.#chain, this.#campaign, buyer, { nodeId: 0n });
        this.#sales.push(saleId);
      } catch {
        // The chain is being restarted.
      }
      await setTimeout(250);
    }
  }
}

/** Process ids of all children. */
function childrenOf(pid: number): number[] {
  const tasks = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return tasks.trim().split(' ').filter(Boolean).map(Number);
}

function childOf(pid: number, command: RegExp): number {
  const found = childrenOf(pid).find((child) =>
    command.test(readFileSync(`/proc/${child}/cmdline`, 'utf8').replaceAll('\0', ' ')),
  );
  if (found === undefined) throw new Error(`no process matches ${command}`);
  return found;
}

function postmasterOf(folder: string): number {
  const file = join(folder, 'postgres', 'data', 'postmaster.pid');
  return Number(readFileSync(file, 'utf8').split('\n')[0]);
}
