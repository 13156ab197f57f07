import { once } from 'node:events';
import { createServer } from 'node:http';
import { createPublicClient, custom, type Hex, numberToHex, type PublicClient } from 'viem';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cancellableClient } from '../../engine/chain/client.ts';
import { type Anvil, startAnvil } from '../../engine/cli/stack/anvil.ts';
import type { AppDeps } from '../../engine/http/deps.ts';
import { accountAt, mined, testClient } from '../support/chain.ts';
import { waitFor } from '../support/wait-for.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';

/** Init code of a contract that runs `JUMPDEST PUSH1 0 JUMP` until its gas is used up. */
const BURNER: Hex = '0x635b6000566000526004601cf3';

/** More sign-ins than run concurrently, from one address or from many. */
const SIGN_INS = 30;

const Nonce = z.object({ data: z.object({ nonce: z.string() }) });

describe('a contract wallet that signs in', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
  });
  afterAll(() => fixture.close());

  /** A sign-in of that account with a signature of no key, from an address. */
  async function signIn(app: ReturnType<ApiFixture['app']>, ip: string, address: Hex) {
    const { data } = Nonce.parse(await (await fixture.app().request('/v1/auth/nonce')).json());
    const message = createSiweMessage({
      address,
      domain: 'shop.example',
      uri: 'https://shop.example/sign-in',
      version: '1',
      chainId: CHAIN_ID,
      nonce: data.nonce,
      issuedAt: new Date(),
    });
    const send = async () =>
      (
        await app.request('/v1/auth/sign-in', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            origin: 'https://shop.example',
            'x-forwarded-for': ip,
          },
          body: JSON.stringify({ message, signature: numberToHex(1, { size: 65 }) }),
        })
      ).status;
    return { send, status: await send() };
  }

  const stranger: Hex = `0x${'5'.repeat(40)}`;

  /** A chain that answers nothing, and notes how much is asked of it. */
  function silentChain() {
    const calls = { running: 0, most: 0, aborted: 0 };
    const request = (_question: unknown, options: { signal?: AbortSignal } = {}) =>
      new Promise((_resolve, reject) => {
        calls.running += 1;
        calls.most = Math.max(calls.most, calls.running);
        options.signal?.addEventListener('abort', () => {
          calls.running -= 1;
          calls.aborted += 1;
          reject(new Error('aborted'));
        });
      });
    const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
    return { seen: calls, client };
  }

  const appWith = (strangersClient: PublicClient, changes: Partial<AppDeps> = {}) =>
    fixture.app({ strangersClient, signatureMs: 3_000, trustedProxies: 1, ...changes });

  it('checks at most two contract wallets of one network concurrently, and asks the others to try again', async () => {
    const { seen: calls, client } = silentChain();
    const app = appWith(client);
    const found = await Promise.all(
      Array.from({ length: SIGN_INS }, () => signIn(app, '203.0.113.7', stranger)),
    );
    const statuses = found.map(({ status }) => status);
    expect(calls.most).toBe(2);
    expect(statuses.filter((status) => status === 503)).toHaveLength(2);
    expect(statuses.filter((status) => status === 429)).toHaveLength(SIGN_INS - 2);
    // Who was refused has used up nothing: the same message is looked at now.
    const refused = found.find(({ status }) => status === 429);
    expect(await refused?.send()).toBe(503);
  });

  it('checks at most eight contract wallets concurrently in total, and cancels a check after its timeout', async () => {
    const { seen: calls, client } = silentChain();
    const app = appWith(client);
    const found = await Promise.all(
      Array.from({ length: SIGN_INS }, (_, i) => signIn(app, `203.0.113.${i}`, stranger)),
    );
    expect(calls.most).toBe(8);
    expect(found.filter(({ status }) => status === 503)).toHaveLength(8);
    expect(calls).toMatchObject({ running: 0, aborted: 8 });
  });

  it('uses none of the limits of the client that verifies receipts', async () => {
    let requests = 0;
    const request = async () => {
      requests += 1;
      throw new Error('not this one');
    };
    const other = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
    await signIn(
      appWith(silentChain().client, { client: other, signatureMs: 300 }),
      '203.0.113.8',
      stranger,
    );
    expect(requests).toBe(0);
  });

  it('closes the connection to the RPC when the check of a contract wallet times out', async () => {
    let [open, closed] = [0, 0];
    const server = createServer((_request, response) => {
      open += 1;
      response.on('close', () => {
        closed += 1;
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const client = cancellableClient([`http://127.0.0.1:${address.port}`], 60_000);
    const app = appWith(client, { signatureMs: 300 });
    expect((await signIn(app, '203.0.113.9', stranger)).status).toBe(503);
    expect(open).toBe(1);
    await waitFor(() => closed === 1, { what: 'the connection to be closed' });
    server.closeAllConnections();
    server.close();
  });

  describe('on a chain', () => {
    let anvil: Anvil;

    beforeAll(async () => {
      anvil = await startAnvil({ logFile: '/dev/null' });
    });
    afterAll(() => anvil.stop());

    it('limits the gas that a contract wallet can burn, and then rejects it', async () => {
      const chain = testClient(anvil.url);
      const account = accountAt(await chain.getAddresses(), 0);
      const hash = await chain.sendTransaction({ account, data: BURNER });
      await mined(chain, hash);
      const { contractAddress } = await chain.getTransactionReceipt({ hash });
      if (!contractAddress) throw new Error('the burner was not deployed');
      expect(await chain.getCode({ address: contractAddress })).toBe('0x5b600056');
      const limits: unknown[] = [];
      const rpc = cancellableClient([anvil.url], 5_000);
      const request = async (
        question: { method: string; params: { gas?: Hex }[] },
        options: object,
      ) => {
        if (question.method === 'eth_call') limits.push(question.params[0]?.gas);
        return await rpc.request(question as never, options);
      };
      const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
      const app = appWith(client, { signatureMs: 10_000 });
      expect((await signIn(app, '203.0.113.10', contractAddress)).status).toBe(401);
      expect(limits.length).toBeGreaterThan(0);
      expect(new Set(limits)).toEqual(new Set([numberToHex(10_000_000)]));
    });
  });
});
