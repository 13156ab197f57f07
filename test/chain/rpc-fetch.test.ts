import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { TimeoutError } from 'viem';
import { afterEach, expect, it } from 'vitest';
import { rpcClient } from '../../engine/chain/client.ts';
import { httpStatusOf, isLimited } from '../../engine/chain/errors.ts';
import { readRanges } from '../../src/history/rpc.ts';
import { waitFor } from '../support/wait-for.ts';

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}

const headers = { 'content-type': 'application/json' };

it.each([
  { what: 'does not begin', begins: false },
  { what: 'stops in the middle', begins: true },
])('closes the connection of a response that $what', async ({ begins }) => {
  let closed = 0;
  const url = await serve((_request, response) => {
    response.on('close', () => {
      closed += 1;
    });
    if (begins) response.writeHead(200, headers).write('{"jsonrpc":"2.0",');
  });
  const client = rpcClient([url], { timeoutMs: 1_500, deadlineMs: 10_000 });
  await expect(client.getBlockNumber()).rejects.toBeInstanceOf(TimeoutError);
  await waitFor(() => closed === 1, { what: 'the connection to be closed' });
});

it('closes the connection of finalized history that stops in the middle', async () => {
  let [opened, closed] = [0, 0];
  const url = await serve((_request, response) => {
    opened += 1;
    response.on('close', () => {
      closed += 1;
    });
    response.writeHead(200, headers).write('{"jsonrpc":"2.0",');
  });
  const options = { rpcUrls: [url], requestsPerSecond: 0, timeoutMs: 1_500 } as const;
  const ranges = readRanges({ ...options, contractAddress: `0x${'11'.repeat(20)}` }, 1, 1);
  await expect(ranges.next()).rejects.toBeInstanceOf(TimeoutError);
  await waitFor(() => closed === opened, { what: 'the connections to be closed' });
  expect(closed).toBeGreaterThan(0);
});

type Answer = { readonly id: number | null; readonly result?: string; readonly error?: object };
const limit = { code: -32_005, message: 'rate limit' };
const addressOf = (i: number) => `0x${i.toString(16).padStart(40, '0')}` as const;

it.each<[string, (answers: Answer[]) => unknown, (string | undefined)[]]>([
  ['in another order', (answers) => answers.toReversed(), ['0x1', '0x2', '0x3']],
  ['without the first', (answers) => answers.slice(1), [undefined, '0x2', '0x3']],
  [
    'with an error that names no request',
    ([first, , third]) => [third, { id: null, error: limit }, first],
    ['0x1', undefined, '0x3'],
  ],
  ['as one error', () => ({ jsonrpc: '2.0', id: null, error: limit }), Array(3)],
])(
  'gives each request its own answer of a batch that comes %s',
  async (_what, change, expected) => {
    const results: Record<string, string> = {
      eth_blockNumber: '0x1',
      eth_chainId: '0x2',
      eth_gasPrice: '0x3',
    };
    const url = await serve(async (request, response) => {
      const calls = (await json(request)) as { id: number; method: string }[];
      const answers = calls.map(({ id, method }) => ({
        ...{ jsonrpc: '2.0', id, result: results[method] ?? '' },
      }));
      response.writeHead(200, headers).end(JSON.stringify(change(answers)));
    });
    const client = rpcClient([url], { timeoutMs: 5_000, deadlineMs: 5_000 });
    const methods = ['eth_blockNumber', 'eth_chainId', 'eth_gasPrice'] as const;
    const answers = await Promise.allSettled(methods.map((method) => client.request({ method })));
    expect(answers.map((one) => (one.status === 'fulfilled' ? one.value : undefined))).toEqual(
      expected,
    );
  },
);

it.each([
  { what: 'all batches', max: 1, refusal: { code: -32_600, message: 'Invalid request' } },
  {
    what: 'batches of more than 3',
    max: 3,
    refusal: { code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' },
  },
])('sends requests in smaller batches to an RPC that refuses $what', async ({ max, refusal }) => {
  const sizes: number[] = [];
  const url = await serve(async (request, response) => {
    const posted = (await json(request)) as { id: number } | { id: number }[];
    const calls = [posted].flat();
    sizes.push(Array.isArray(posted) ? calls.length : 0);
    const isRefused = Array.isArray(posted) && calls.length > (max === 1 ? 0 : max);
    const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: `0x${id.toString(16)}` }));
    const body = isRefused ? { jsonrpc: '2.0', id: null, error: refusal } : answers;
    response.writeHead(isRefused ? 500 : 200, headers);
    response.end(JSON.stringify(Array.isArray(posted) ? body : answers[0]));
  });
  const client = rpcClient([url], { timeoutMs: 5_000, deadlineMs: 5_000 });
  const ask = () =>
    Promise.all(Array.from({ length: 8 }, (_, i) => client.getBalance({ address: addressOf(i) })));
  expect(new Set(await ask()).size).toBe(8);
  const first = sizes.splice(0);
  await ask();
  // The size is remembered: nothing is refused again.
  expect(sizes.every((size) => size <= (max === 1 ? 0 : max))).toBe(true);
  expect(first.slice(0, 2)).toEqual([8, 4]);
});

it.each([
  ['one method, also if it comes first', ['eth_gasPrice'], ['0x2', '0x3'], 1],
  ['everything, after one request of each method', [], [], 3],
])(
  'gives the answers of a batch to an RPC that refuses %s, by HTTP',
  async (_, methods, others, refusals) => {
    const sent: string[] = [];
    const results: Record<string, string> = { eth_blockNumber: '0x2', eth_chainId: '0x3' };
    const url = await serve(async (request, response) => {
      const posted = (await json(request)) as { id: number; method: string }[];
      const calls = [posted].flat();
      const isRefused = calls.some(
        ({ method }) => methods.length === 0 || methods.includes(method),
      );
      if (!Array.isArray(posted)) sent.push(...calls.map(({ method }) => method));
      if (isRefused) return void response.writeHead(403).end('<html>403</html>');
      const answers = calls.map(({ id, method }) => ({
        jsonrpc: '2.0',
        id,
        result: results[method],
      }));
      response
        .writeHead(200, headers)
        .end(JSON.stringify(Array.isArray(posted) ? answers : answers[0]));
    });
    const client = rpcClient([url], { timeoutMs: 5_000, deadlineMs: 5_000 });
    const asked = ['eth_gasPrice', 'eth_gasPrice', 'eth_blockNumber', 'eth_chainId'] as const;
    const answers = await Promise.allSettled(
      // viem makes one request of two that are the same.
      asked.map((method, i) => client.request({ method, params: [i] } as never)),
    );
    const [first, second, ...rest] = answers.map((one) =>
      one.status === 'fulfilled' ? one.value : undefined,
    );
    expect([first, second]).toEqual([undefined, undefined]);
    expect(rest.filter((one) => one !== undefined)).toEqual(others);
    expect(answers.map((one) => one.status === 'rejected' && httpStatusOf(one.reason))).toEqual([
      ...[403, 403, ...(others.length === 0 ? [403, 403] : [false, false])],
    ]);
    expect(sent.filter((method) => method === 'eth_gasPrice')).toHaveLength(1);
    expect(sent.length - others.length).toBe(refusals);
  },
);

it('takes one error for a whole batch for a limit of each request', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, headers).end(JSON.stringify({ id: null, error: limit }));
  });
  const client = rpcClient([url], { timeoutMs: 5_000, deadlineMs: 5_000 });
  const [one] = await Promise.allSettled([client.getBlockNumber(), client.getChainId()]);
  expect(one.status === 'rejected' && isLimited(one.reason)).toBe(true);
});
