import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import { requestBytes } from './request-bytes.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Serves an answer in pieces, each in a packet of its own. */
async function serve(pieces: readonly string[]): Promise<string> {
  server = createServer(async (request, response) => {
    request.resume();
    for (const piece of pieces) {
      response.write(piece);
      await setTimeout(5);
    }
    response.end();
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${port}`;
}

async function hexOf(pieces: readonly string[]): Promise<string> {
  const chunks: Uint8Array[] = [];
  const url = await serve(pieces);
  for await (const chunk of requestBytes(url, 'anvil_dumpState', [], 10_000)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('hex');
}

it('yields the bytes of a result, however it is cut', async () => {
  const text = '{"jsonrpc":"2.0","id":1,"result":"0x00ff10abcdef"}';
  for (const cuts of [[], [10], [36], [37, 38, 43], [text.length - 2]]) {
    const pieces = [0, ...cuts].map((from, i) => text.slice(from, cuts[i] ?? text.length));
    expect(await hexOf(pieces), String(cuts)).toBe('00ff10abcdef');
  }
});

it('throws the error of an answer, and if the result is cut', async () => {
  const refusal = '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no such state"}}';
  await expect(hexOf([refusal])).rejects.toThrow('anvil_dumpState: no such state');
  await expect(hexOf(['{"id":1,"result":"0x00', 'ff'])).rejects.toThrow('ended too early');
  await expect(hexOf(['{"id":1,"result":null}'])).rejects.toThrow('the answer has no result');
});
