import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../../engine/cli/stack/anvil.ts';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { type Child, cliCommand, spawnChild } from '../../engine/cli/stack/processes.ts';
import { type Client, createClient } from '../../engine/client/index.ts';
import { cookieNameOf } from '../../engine/gateway/cookies.ts';
import { type Identity, nameOf } from '../../engine/gateway/identity.ts';
import { SESSION_COOKIE } from '../../engine/http/auth/cookie.ts';
import { signedIn } from '../http/support/session.ts';
import { startTestChain, type TestChain, withSecondContract } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

const LONG = 600_000;

/** Sales on a page. */
const PAGE = 7;

/** Milliseconds of a gateway's deadline, and room for a busy machine. */
const IN_TIME_MS = 6_000;

/** A whole deployment with its API. */
interface Served {
  readonly chain: TestChain;
  readonly traffic: Traffic;
  readonly deployment: TestDeployment;
  readonly identity: Identity;
  readonly port: number;
  /** Origin of the gateway, at which people sign in. */
  readonly origin: string;
  api: Child;
}

type Sale = { chainId: number; contractAddress: string; saleId: string; recordedAt: string };

describe('a gateway over three chains, one of them with two contracts', () => {
  const served: Served[] = [];
  let reborn: Anvil | undefined;
  let gateway: Child;
  let url: string;

  beforeAll(async () => {
    const first = await startTestChain();
    const chains = [
      first,
      await withSecondContract(first),
      await startTestChain({ chainId: 10_001 }),
      await startTestChain({ chainId: 10_002, ...lastingChain }),
    ];
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    for (const [index, chain] of chains.entries()) served.push(await serve(chain, index, url));
    await Promise.all(served.map(({ deployment }) => deployment.settledToHead(LONG)));
    gateway = spawnChild({
      name: 'gateway',
      ...cliCommand(['gateway']),
      env: {
        DEPLOYMENTS: served
          .map(({ identity, port: own }) => `${nameOf(identity)}=http://127.0.0.1:${own}`)
          .join(','),
        PORT: String(port),
        RATE_LIMIT_PER_MINUTE: '100000',
      },
      logFile: join(first.dir, 'gateway.log'),
    });
    await allAnswer();
  }, LONG);

  afterAll(async () => {
    await gateway?.stop();
    await Promise.all(served.map(({ api }) => api.stop()));
    await Promise.all(served.map(({ deployment }) => deployment.close()));
    await reborn?.stop();
    for (const { chain } of [...served].reverse()) await chain.stop();
    await rm(lastingChain.statePath, { force: true });
  }, LONG);

  const last = (): Served => {
    const found = served.at(-1);
    if (found === undefined) throw new Error('No deployment is served.');
    return found;
  };

  async function allAnswer(): Promise<void> {
    const ready = async () => (await fetch(`${url}/ready?strict=1`)).ok;
    await waitFor(ready, { what: 'all deployments to answer', timeout: LONG });
  }

  /** The gateway's JSON, and how long it took. */
  async function get(path: string, headers: Record<string, string> = {}) {
    const start = performance.now();
    const response = await fetch(`${url}${path}`, { headers });
    const body = JSON.parse(await response.text());
    return { status: response.status, body, ms: performance.now() - start };
  }

  const directly = ({ port }: Served): Client =>
    createClient({ baseUrl: `http://127.0.0.1:${port}` });

  const through = ({ identity }: Served): Client =>
    createClient({ baseUrl: `${url}/d/${nameOf(identity)}` });

  async function salesOf(client: Client): Promise<Sale[]> {
    const sales: Sale[] = [];
    const pages = client.pages(client.receipts.recent, { limit: PAGE });
    for await (const sale of pages) sales.push(sale);
    return sales;
  }

  const nameOfSale = ({ chainId, contractAddress, saleId }: Sale) =>
    `${chainId}/${contractAddress}/${saleId}`;

  it(
    'verifies a receipt of each chain with the typed client',
    async () => {
      for (const one of served) {
        const client = through(one);
        const [sale] = await salesOf(client);
        if (sale === undefined) throw new Error(`${nameOf(one.identity)} has no sale.`);
        const { chainId, saleId } = sale;
        expect({ chainId, contractAddress: sale.contractAddress }).toEqual(one.identity);
        const { data } = await client.receipts.verify({ chainId, saleId });
        expect(data).toMatchObject({ verdict: 'pass' });
      }
      const { chainId } = last().identity;
      const { body } = await get(`/v1/receipts/${chainId}/1`);
      expect(body.data).toMatchObject({ chainId, saleId: '1' });
      expect((await get(`/v1/receipts/${served[0]?.identity.chainId}/1`)).status).toBe(404);
    },
    LONG,
  );

  it(
    'lists each sale and each campaign of all deployments once',
    async () => {
      const expected = (await Promise.all(served.map((one) => salesOf(directly(one))))).flat();
      const client = createClient({ baseUrl: url });
      const now = Date.now();
      const sales = await salesOf(client);
      expect(sales.map(nameOfSale).sort()).toEqual(expected.map(nameOfSale).sort());
      // A deployment gets half of a page at most, so that only each page is in the order of all. Chains of tests are ahead
      // of the clock, and such times count as now.
      for (let start = 0; start < sales.length; start += PAGE) {
        const page = sales.slice(start, start + PAGE);
        const times = page.map(({ recordedAt }) => Math.min(Date.parse(recordedAt), now));
        expect(times).toEqual([...times].sort((one, other) => other - one));
      }
      for (const sort of ['balanced', 'reward'] as const) {
        const found: string[] = [];
        for await (const one of client.pages(client.campaigns.list, { limit: 2, sort })) {
          found.push(`${one.chainId}/${one.contractAddress}/${one.campaignId}`);
        }
        const { data } = await client.campaigns.list({ limit: 1 });
        expect([found.length, new Set(found).size]).toEqual([data.total, data.total]);
        expect(data.total).toBe(served.length * 2);
      }
      // A ranking may be as of a block before the first distributor joined: then a worker computes it again.
      const names = await waitFor(
        async () => {
          const { status, body } = await get('/v1/distributors?limit=100');
          if (status !== 200 || body.meta.deployments.missing.length > 0) return undefined;
          const items: { deployment: Identity; address: string }[] = body.data.items;
          const ranked = new Set(items.map(({ deployment }) => nameOf(deployment)));
          if (ranked.size < served.length) return undefined;
          return items.map(({ deployment, address }) => `${nameOf(deployment)}/${address}`);
        },
        { what: 'the rankings of all deployments', timeout: LONG },
      );
      expect(new Set(names).size).toBe(names.length);
    },
    LONG,
  );

  it(
    'searches all, and shows earnings of each session without adding them',
    async () => {
      const [one, , other] = served;
      if (one === undefined || other === undefined) throw new Error('No deployment is served.');
      const found = await get('/v1/search?q=1&types=sale');
      expect(
        found.body.data.items.map((item: { deployment: Identity }) => item.deployment),
      ).toEqual(served.map(({ identity }) => identity));
      const cookies: string[] = [];
      const expected: unknown[] = [];
      const accounts: unknown[] = [];
      for (const { deployment, identity, port } of [one, other]) {
        const { pool } = deployment;
        const [earner] = await pool<{ account: `0x${string}` }[]>`
          select recipient as account from ledger.sale_level order by sale_id desc limit 1`;
        if (earner === undefined) throw new Error(`${nameOf(identity)} has no rewards.`);
        const { account } = earner;
        accounts.push({ deployment: identity, account });
        const session = await signedIn({ pool, clock: Date.now, allowedOrigins: [] }, account);
        cookies.push(session.reading.cookie.replace(SESSION_COOKIE, cookieNameOf(identity)));
        const response = await fetch(`http://127.0.0.1:${port}/v1/me/earnings`, {
          headers: session.reading,
        });
        const { data } = JSON.parse(await response.text());
        expected.push(...data.byToken.map((token: object) => ({ ...token, deployment: identity })));
      }
      expect(expected.length).toBeGreaterThan(1);
      const { body } = await get('/v1/me/earnings', { cookie: cookies.join('; ') });
      expect(body.data.byToken).toEqual(expected);
      expect(body.data.accounts).toEqual(accounts);
      expect(body.meta.deployments.missing).toHaveLength(2);
    },
    LONG,
  );

  it(
    'signs an account in at each deployment, on the origin of the gateway',
    async () => {
      const account = privateKeyToAccount(generatePrivateKey());
      const clients = served.map(({ identity }) =>
        createClient({ baseUrl: `${url}/d/${nameOf(identity)}`, origin: url }),
      );
      for (const client of clients) {
        const { data } = await client.auth.nonce();
        const message = createSiweMessage({
          domain: new URL(url).host,
          address: account.address,
          uri: url,
          version: '1',
          chainId: data.chainId,
          nonce: data.nonce,
          issuedAt: new Date(),
        });
        const signature = await account.signMessage({ message });
        await client.auth.signIn({ message, signature });
      }
      const [first, second] = clients;
      await first?.auth.signOut();
      await expect(first?.auth.session()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      expect((await second?.auth.session())?.data.address).toBe(account.address.toLowerCase());
    },
    LONG,
  );

  it(
    'passes the stream of a deployment on',
    async () => {
      const one = last();
      const abort = new AbortController();
      const messages = through(one).stream({ signal: abort.signal });
      expect((await messages.next()).value).toMatchObject({ event: 'hello' });
      await one.traffic.play(3);
      const next = await messages.next();
      expect(['settled', 'head']).toContain(next.value?.event);
      abort.abort();
      await messages.return(undefined);
    },
    LONG,
  );

  it(
    'answers in time without a chain and an API that die, names them, and includes them again',
    async () => {
      const dead = last();
      const name = nameOf(dead.identity);
      const before = await salesOf(createClient({ baseUrl: url }));
      await dead.api.kill();
      await dead.chain.anvil.stop();
      for (const path of ['/v1/receipts', '/v1/campaigns', '/v1/search?q=1', '/v1/deployments']) {
        const { status, body, ms } = await get(path);
        expect([path, status]).toEqual([path, 200]);
        expect(ms, path).toBeLessThan(IN_TIME_MS);
        expect(body.meta.deployments.missing).toMatchObject([{ name, code: 'AWAY' }]);
        expect(body.meta.deployments.answered).toHaveLength(3);
      }
      const status = await get('/v1/deployments/status');
      expect(status.body.data).toMatchObject({ status: 'attention', missing: [{ name }] });
      const passed = await get(`/d/${name}/v1/receipts`);
      expect([passed.status, passed.body.error.issues[0].path]).toEqual([503, name]);
      const rest = await salesOf(createClient({ baseUrl: url }));
      const others = before.filter(({ chainId }) => chainId !== dead.identity.chainId);
      expect(rest.map(nameOfSale).sort()).toEqual(others.map(nameOfSale).sort());
      expect((await fetch(`${url}/ready`)).status).toBe(200);

      const { port } = new URL(dead.chain.anvil.url);
      reborn = await startAnvil({
        ...lastingChain,
        chainId: dead.identity.chainId,
        port: Number(port),
        logFile: join(dead.chain.dir, 'anvil-again.log'),
      });
      dead.api = startApi(dead);
      await allAnswer();
      await dead.traffic.play(8);
      await dead.deployment.settledToHead(LONG);
      const direct = await salesOf(directly(dead));
      const again = await salesOf(createClient({ baseUrl: url }));
      expect(again.map(nameOfSale).sort()).toEqual([...others, ...direct].map(nameOfSale).sort());
      expect(direct.length).toBeGreaterThan(before.length - others.length);
    },
    LONG,
  );

  it(
    'stops with exit code 0, after its requests',
    async () => {
      expect(await gateway.stop()).toMatchObject({ code: 0 });
    },
    LONG,
  );
});

/** Options of a chain that survives the end of its process. */
const lastingChain = {
  statePath: join(tmpdir(), `tributary-gateway-${randomUUID()}.json`),
  genesisTimestamp: 1_700_000_000,
};

async function serve(chain: TestChain, index: number, origin: string): Promise<Served> {
  const traffic = await Traffic.start(chain, 61 + index, 2);
  await traffic.play(25);
  const deployment = await TestDeployment.open(chain);
  await deployment.startIndexer();
  // Several indexers that start concurrently are too slow for Ponder's own time limit on a busy machine.
  await deployment.indexer.ready();
  deployment.startWorker();
  const { chainId } = chain;
  const contractAddress = chain.contract.toLowerCase() as `0x${string}`;
  const port = await freePort();
  const parts = {
    chain,
    traffic,
    deployment,
    identity: { chainId, contractAddress },
    port,
    origin,
  };
  return { ...parts, api: startApi(parts) };
}

function startApi({ chain, deployment, port, origin }: Omit<Served, 'api'>): Child {
  return spawnChild({
    name: 'api',
    ...cliCommand(['api']),
    env: {
      ...deployment.variables(),
      PORT: String(port),
      ALLOWED_ORIGINS: origin,
      TRUSTED_PROXIES: '1',
      RATE_LIMIT_PER_MINUTE: '100000',
    },
    logFile: join(chain.dir, `api-${port}.log`),
  });
}
