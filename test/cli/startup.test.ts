import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { encodeFunctionResult, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/index.ts';
import { processStart } from '../../engine/cli/stack/alive.ts';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runCli, runHere } from '../support/run-cli.ts';

/** What is wrong around a program, and what it says about it. */
interface Case {
  readonly what: string;
  readonly program?: 'start' | 'indexer' | 'worker' | 'api' | 'gateway' | 'audit';
  /** Variables; those of `chain` name a chain. */
  readonly env: () => Record<string, string>;
  readonly says: RegExp;
  readonly code: number;
  /**
   * True if the program runs in a process of its own, which must end: one for each program, and for each kind of
   * connection that it may leave open.
   */
  readonly isProcess?: boolean;
}

/** Seconds within which a program has to say what is wrong, on a free machine. */
const SECONDS = 5;

/** Programs that run concurrently to find out how busy the machine is: as many as tests do, if one was late. */
const CONCURRENT = { first: 2, late: 5 };

describe('a program whose surroundings are wrong ends within 5 s, with one sentence that names the variable', () => {
  let dir: string;
  let database: TestDatabase;
  let closedPort: number;
  /** Seconds that a program takes which ends before it has looked around: the machine may be busy. */
  let idleSeconds: number;
  let silent: AddressInfo;
  let taken: AddressInfo;
  const servers: Server[] = [];
  let rpc: Record<'good' | 'refusing' | 'page' | 'ahead' | 'elsewhere' | 'older', string>;
  const isDiskMounted = canMount();

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-startup-'));
    database = await createTestDatabase();
    closedPort = await freePort();
    // Compiles the command, if that is necessary.
    await runCli(['--version']);
    idleSeconds = await idleTime(CONCURRENT.first);
    await Promise.all([
      import('../../engine/cli/commands/start.ts'),
      import('../../engine/cli/commands/indexer.ts'),
      import('../../engine/cli/commands/worker.ts'),
      import('../../engine/cli/commands/api.ts'),
    ]);
    silent = await listening(createServer());
    taken = await listening(createServer());
    rpc = {
      good: await rpcThat((_, response) => response.end(answerAt(Date.now()))),
      refusing: await rpcThat((_, response) => response.writeHead(401).end('who are you?')),
      elsewhere: await rpcThat(async (request, response) => {
        const { method } = (await json(request)) as { method: string };
        const chain = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x7a69' });
        response.end(method === 'eth_chainId' ? chain : answerAt(Date.now()));
      }),
      older: await rpcThat(async (request, response) => {
        const { method } = (await json(request)) as { method: string };
        const result = encodeFunctionResult({
          abi: referralCommerceAbi,
          functionName: 'eip712Domain',
          result: ['0x0f', 'Tributary', '2', 1n, `0x${'11'.repeat(20)}`, zeroHash, []],
        });
        const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
        response.end(method === 'eth_call' ? answer : answerAt(Date.now()));
      }),
      page: await rpcThat((_, response) => response.end('<html>Welcome</html>')),
      ahead: await rpcThat((_, response) => {
        const later = Date.now() + 2 * 3_600_000;
        response.sendDate = false;
        response.setHeader('date', new Date(later).toUTCString());
        response.end(answerAt(later));
      }),
    };
    await mkdir(join(dir, 'secret', 'postgres.password'), { recursive: true });
    await mkdir(join(dir, 'running'));
    const owner = { pid: process.pid, startedAt: processStart(process.pid) };
    await writeFile(join(dir, 'running', 'start.json'), JSON.stringify({ owner, children: [] }));
    await writeFile(join(dir, 'file'), '');
    if (isDiskMounted) {
      await mkdir(join(dir, 'disk'));
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', join(dir, 'disk')]);
    }
  });

  afterAll(async () => {
    if (isDiskMounted) spawnSync('umount', [join(dir, 'disk')]);
    for (const server of servers) {
      server.close();
      if ('closeAllConnections' in server)
        (server as { closeAllConnections(): void }).closeAllConnections();
    }
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  });

  async function listening(server: Server): Promise<AddressInfo> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    return server.address() as AddressInfo;
  }

  async function rpcThat(answers: RequestListener): Promise<string> {
    const { port } = await listening(createHttpServer(answers));
    return `http://127.0.0.1:${port}`;
  }

  const answerAt = (ms: number) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { timestamp: `0x${Math.floor(ms / 1_000).toString(16)}` },
    });

  /** Variables of a chain. */
  const chain = (url: string) => ({
    CHAIN_ID: '1',
    RPC_URL: url,
    CONTRACT_ADDRESS: `0x${'11'.repeat(20)}`,
    START_BLOCK: '1',
  });
  /** An address at which nothing listens. */
  const away = () => `127.0.0.1:${closedPort}`;
  const parts = () => ({ ...chain(rpc.good), DATABASE_URL: database.url });

  const cases: readonly Case[] = [
    {
      what: 'the database is down',
      env: () => ({ DATABASE_URL: `postgres://me:secret@${away()}/db` }),
      says: /^DATABASE_URL: nothing listens at 127\.0\.0\.1:\d+\. Is PostgreSQL running there\?$/,
      code: 3,
      isProcess: true,
    },
    ...(['indexer', 'worker', 'api', 'audit'] as const).map((program) => ({
      what: `the database of ${program} is down`,
      program,
      env: () => ({ ...chain(rpc.good), DATABASE_URL: `postgres://me:secret@${away()}/db` }),
      says: /^DATABASE_URL: nothing listens at /,
      code: 3,
      isProcess: program === 'audit',
    })),
    {
      what: 'the password of the database is wrong',
      env: () => {
        const url = new URL(database.url);
        url.password = 'wrong-password';
        return { DATABASE_URL: url.href };
      },
      says: /^DATABASE_URL: PostgreSQL at .* refuses the user or the password/,
      code: 3,
    },
    {
      what: 'the database does not exist',
      env: () => {
        const url = new URL(database.url);
        url.pathname = '/no_such_database';
        return { DATABASE_URL: url.href };
      },
      says: /^DATABASE_URL: PostgreSQL at .* does not have that database/,
      code: 3,
    },
    {
      what: 'the host of the database is not known',
      env: () => ({ DATABASE_URL: 'postgres://me:secret@database.invalid/db' }),
      says: /^DATABASE_URL: the host of database\.invalid:5432 is not known/,
      code: 3,
    },
    {
      what: 'the database accepts connections and says nothing',
      env: () => ({ DATABASE_URL: `postgres://me:secret@127.0.0.1:${silent.port}/db` }),
      says: /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ does not respond\.$/,
      code: 3,
      isProcess: true,
    },
    ...(['start', 'indexer'] as const).flatMap((program) => [
      {
        what: `the RPC of ${program} is down`,
        program,
        env: () => ({ ...parts(), RPC_URL: `http://key:secret@${away()}/v2/secret` }),
        says: /^RPC_URL: 127\.0\.0\.1:\d+ does not respond \(.*ECONNREFUSED.*\)\.$/,
        code: 3,
        isProcess: true,
      },
      {
        what: `the RPC of ${program} refuses the key`,
        program,
        env: () => ({ ...parts(), RPC_URL: rpc.refusing }),
        says: /^RPC_URL: 127\.0\.0\.1:\d+ answers with HTTP 401\.$/,
        code: 3,
      },
    ]),
    ...(['start', 'indexer', 'worker', 'api'] as const).map((program) => ({
      what: `the RPC of ${program} is of another chain`,
      program,
      env: () => ({ ...parts(), RPC_URL: rpc.elsewhere }),
      says: /^CHAIN_ID is 1, and the RPC 127\.0\.0\.1:\d+ of RPC_URL is of chain 31337: correct one of them\.$/,
      code: 1,
      isProcess: program === 'worker' || program === 'api',
    })),
    ...(['indexer', 'api'] as const).map((program) => ({
      what: `the contract of ${program} is of another version`,
      program,
      env: () => ({ ...parts(), RPC_URL: rpc.older }),
      says: /^CONTRACT_ADDRESS: 0x(?:11){20} is a contract of version 2, and this release reads version 3: /,
      code: 1,
    })),
    {
      what: 'RPC_URL is a web page',
      env: () => ({ ...parts(), RPC_URL: rpc.page }),
      says: /^RPC_URL: 127\.0\.0\.1:\d+ does not answer as an RPC does\.$/,
      code: 3,
    },
    {
      what: 'Redis is down',
      env: () => ({ ...parts(), REDIS_URL: `redis://${away()}` }),
      says: /^REDIS_URL: Redis at 127\.0\.0\.1:\d+ does not respond \(.*ECONNREFUSED.*\)\.$/,
      code: 3,
      isProcess: true,
    },
    {
      what: 'the port is taken',
      env: () => ({ PORT: String(taken.port) }),
      says: /^Port \d+ is in use by another program: stop it, or set PORT to another port\.$/,
      code: 4,
    },
    ...(['api', 'gateway'] as const).map((program) => ({
      what: `the port of ${program} is taken`,
      program,
      env: () => ({ ...parts(), DEPLOYMENTS: 'http://127.0.0.1:1', PORT: String(taken.port) }),
      says: /^Port \d+ is in use by another program: stop it, or set PORT to another port\.$/,
      code: 4,
      isProcess: program === 'gateway',
    })),
    ...(['indexer', 'worker'] as const).map((program) => ({
      what: `the port of the metrics of ${program} is taken`,
      program,
      env: () => ({ ...parts(), METRICS_PORT: String(taken.port) }),
      says: /^Port \d+ is in use by another program: stop it, or set METRICS_PORT to another port\.$/,
      code: 4,
    })),
    {
      what: 'HOST is not of this machine',
      env: () => ({ HOST: '203.0.113.7' }),
      says: /^HOST: 203\.0\.113\.7 is not an address of this machine \(EADDRNOTAVAIL\)\.$/,
      code: 1,
    },
    {
      what: 'the data folder cannot be written',
      env: () => ({ DATA_DIR: join(dir, 'file', 'data') }),
      says: /^DATA_DIR cannot be written: .*\/file\/data \(ENOTDIR.*\)\. Set it to a folder that this account may write\.$/,
      code: 1,
    },
    {
      what: 'the password of the embedded database cannot be read',
      env: () => ({ DATA_DIR: join(dir, 'secret') }),
      says: /^DATA_DIR: the password of the embedded PostgreSQL cannot be read from .*postgres\.password \(EISDIR\)/,
      code: 1,
    },
    {
      what: 'another start has the data folder',
      env: () => ({ DATA_DIR: join(dir, 'running') }),
      says: /^Tributary is already running here \(process \d+\)\. Stop it first, or set DATA_DIR to another folder\.$/,
      code: 1,
      isProcess: true,
    },
    {
      what: 'the clock is wrong, as two others say',
      env: () => ({ ...chain(rpc.ahead), DATA_DIR: join(dir, 'clock') }),
      says: /^The clock of this machine is 2 h behind that of the RPC 127\.0\.0\.1:\d+ and 2 h behind that of the newest block: set it/,
      code: 1,
      isProcess: true,
    },
    ...(isDiskMounted
      ? [
          {
            what: 'the disk is full',
            env: () => ({ DATA_DIR: join(dir, 'disk') }),
            says: /^DATA_DIR: the disk of .*\/disk has \d+ bytes free \(\d MiB\): make room/,
            code: 1,
          },
        ]
      : []),
  ];

  /** Seconds of programs that end before they have looked around. */
  async function idleTime(concurrent: number): Promise<number> {
    const began = performance.now();
    await Promise.all(Array.from({ length: concurrent }, () => runCli(['start'], { PORT: '0' })));
    return (performance.now() - began) / 1_000;
  }

  it.concurrent.each(cases.filter(({ isProcess }) => isProcess))('$what', expectSentence, 120_000);

  it.each(cases.filter(({ isProcess }) => !isProcess))('$what', expectSentence, 120_000);

  async function expectSentence({ program = 'start', env, says, code, isProcess }: Case) {
    const run = isProcess === true ? runCli : runHere;
    const began = performance.now();
    const variables = {
      PORT: String(await freePort()),
      DATA_DIR: join(dir, 'data', randomUUID()),
      LOG_LEVEL: 'warn',
      ...env(),
    };
    const result = await run([program], variables);
    const seconds = (performance.now() - began) / 1_000;
    const lines = result.stderr.trim().split('\n');
    expect(lines).toEqual([expect.stringMatching(says)]);
    expect(result.code).toBe(code);
    expect(`${result.stdout}${result.stderr}`).not.toContain('secret@');
    // Nothing heavy has begun: no chain, no server.
    const heavy = ['chain', 'postgres'].map((name) => existsSync(join(variables.DATA_DIR, name)));
    expect(heavy).toEqual([false, false]);
    // As the programs count their own limits, by the load of the machine.
    const pace = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
    const limit = (idle: number) => SECONDS * pace + 8 * idle;
    const isLate = seconds >= limit(idleSeconds);
    // The machine may have become slower.
    expect(seconds).toBeLessThan(limit(isLate ? await idleTime(CONCURRENT.late) : idleSeconds));
  }

  it('names everything that is wrong, and also what the program can run without', async () => {
    const { stderr, code } = await runHere(['start'], {
      ...chain(`http://${away()}`),
      PORT: String(await freePort()),
      DATA_DIR: join(dir, 'several'),
      DATABASE_URL: `postgres://me:secret@${away()}/db`,
      SMTP_URL: `smtp://${away()}`,
      SMTP_FROM: 'shop@example.com',
      S3_BUCKET: 'files',
      S3_ENDPOINT: `http://${away()}`,
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'key',
    });
    const variables = stderr
      .trim()
      .split('\n')
      .map((line) => line.split(':')[0]);
    expect(variables.sort()).toEqual(['DATABASE_URL', 'RPC_URL', 'S3_ENDPOINT', 'SMTP_URL']);
    expect(code).toBe(3);
  });
});

/** True if this account may mount a small disk, to fill it. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const probe = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', '/mnt']);
  if (probe.status !== 0) return false;
  spawnSync('umount', ['/mnt']);
  return true;
}
