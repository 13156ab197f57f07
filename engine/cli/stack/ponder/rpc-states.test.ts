import { expect, test } from 'vitest';

type State = [state: string, until: number | null];

interface RpcStates {
  rpcStates(
    onChange: (change: { place: number; state: string; until: number | null }) => void,
    clock?: () => number,
  ): (place: number, state: string, until?: number | null) => void;
  stateAfter(response: Response, now?: number): Promise<State>;
}

const { rpcStates, stateAfter }: RpcStates = await import(
  new URL('./rpc-states.mjs', import.meta.url).href
);

const json = (body: unknown) => {
  const text = JSON.stringify(body);
  return new Response(text, { headers: { 'content-length': String(text.length) } });
};
const error = (code: number, message: string) => json({ id: 1, error: { code, message } });
const http = (status: number, headers = {}) => new Response('', { status, headers });

test.each<[what: string, Response, State]>([
  ['a result', json({ id: 1, result: '0x1' }), ['ok', null]],
  ['an unknown method', error(-32_601, 'the method does not exist'), ['ok', null]],
  ['a long answer', new Response('{"error":{"code":-32005}}'), ['ok', null]],
  ['HTTP 429', http(429), ['rate-limited', null]],
  ['HTTP 429 with seconds', http(429, { 'retry-after': '30' }), ['rate-limited', 31_000]],
  ['a limit by its code', error(-32_005, 'daily'), ['rate-limited', null]],
  ['a limit in words', error(-32_000, 'Too Many Requests'), ['rate-limited', null]],
  ['HTTP 403', http(403), ['refused', null]],
  ['HTTP 503', http(503), ['unreachable', null]],
])('reads the state of an RPC from %s', async (_what, response, state) => {
  expect(await stateAfter(response, 1_000)).toEqual(state);
});

test('reports a change once, and the end of a bad state after half a minute without a failure', () => {
  let now = 0;
  const changes: string[] = [];
  const record = rpcStates(
    ({ place, state }) => changes.push(`${now} ${place} ${state}`),
    () => now,
  );
  for (; now < 100_000; now += 1_000) {
    record(1, now === 10_000 || now === 30_000 ? 'unreachable' : 'ok');
    record(2, 'ok');
  }
  expect(changes).toEqual(['0 1 ok', '0 2 ok', '10000 1 unreachable', '60000 1 ok']);
});
