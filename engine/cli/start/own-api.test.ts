import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { allVerified, salesTitle } from './check.ts';
import { type ApiChild, confirmOwnApi, type OwnApi } from './own-api.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

const deployment = {
  chainId: 31_337,
  genesisHash: `0x${'11'.repeat(32)}`,
  contractAddress: `0x${'22'.repeat(20)}`,
} as const;

/** A server that answers as an API does, and notes what it was asked. */
async function apiLike(answers: Readonly<Record<string, unknown>>) {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url ?? '');
    const data = answers[request.url ?? ''];
    response.writeHead(data === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data, meta: { requestId: 'r' } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { url: `http://127.0.0.1:${address.port}`, asked: requested };
}

/** The API of a start whose child has reported that id. */
function ownApi(apiUrl: string, instance: string): OwnApi {
  const child: ApiChild = {
    pid: 1,
    instance: Promise.resolve(instance),
    exited: new Promise(() => {}),
    stop: async () => ({ code: 0, signal: null }),
    kill: async () => ({ code: 0, signal: null }),
  };
  const api = { current: () => child, gaveUp: new Promise<never>(() => {}), stop: async () => {} };
  return { api, apiUrl, deployment };
}

const status = {
  status: 'ok',
  deployment,
  chain: null,
  indexed: null,
  settled: null,
  safe: null,
  finalized: null,
  lag: { indexer: null, settlement: null, total: null },
  headSeenAt: null,
  chainSilentSince: null,
  counts: { campaigns: 0, nodes: 0, sales: 0 },
  queue: null,
  discrepancies: { count: 0, campaigns: [] },
  stopped: [],
  alarms: [],
};

describe('confirmOwnApi', () => {
  it('accepts the child whose reported id the server returns', async () => {
    const answers = { '/health': { ok: true, instance: 'mine' }, '/v1/system/status': status };
    const { url } = await apiLike(answers);
    await confirmOwnApi(ownApi(url, 'mine'));
  });

  it.each([
    { what: 'with another id', health: { ok: true, instance: 'another' } },
    { what: 'without an id, as older versions do', health: { ok: true } },
  ])('rejects a server that returns $what, and sends it no other request', async ({ health }) => {
    const { url, asked: requested } = await apiLike({
      '/health': health,
      '/v1/system/status': status,
    });
    await expect(confirmOwnApi(ownApi(url, 'mine'))).rejects.toMatchObject({
      message: `Another program responds at ${url}: stop it, or set PORT to another port.`,
      exitCode: 4,
    });
    expect(new Set(requested)).toEqual(new Set(['/health']));
  });

  it('rejects an API that serves another chain', async () => {
    const other = { ...deployment, genesisHash: `0x${'33'.repeat(32)}` };
    const { url } = await apiLike({
      '/health': { ok: true, instance: 'mine' },
      '/v1/system/status': { ...status, deployment: other },
    });
    const sentence = `The API at ${url} serves another deployment (different: genesisHash).`;
    await expect(confirmOwnApi(ownApi(url, 'mine'))).rejects.toThrow(sentence);
  });
});

describe('allVerified', () => {
  it('returns false if no listed sale passed', () => {
    const sales = { verified: 578, passed: 0, inLedger: 578, failures: [] };
    expect(allVerified(sales)).toBe(false);
    expect(salesTitle(sales)).toBe('0 of 578 sales verified against the chain');
  });

  it('returns false if the API lists fewer sales than the ledger contains', () => {
    const sales = { verified: 0, passed: 0, inLedger: 578, failures: [] };
    expect(allVerified(sales)).toBe(false);
    expect(salesTitle(sales)).toContain("The API lists 0 of the ledger's 578 sales");
  });

  it('returns true if every sale passed', () => {
    expect(allVerified({ verified: 578, passed: 578, inLedger: 578, failures: [] })).toBe(true);
  });
});
