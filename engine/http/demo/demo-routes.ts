import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { demoPaths, demoRpcMethods } from '../../contract/demo.ts';
import { Address } from '../../contract/values.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError, invalidField, notFound, unprocessable } from '../errors.ts';
import { lowerAddress } from '../input/address.ts';
import { ConcurrencyLimit } from '../limits/concurrency-limit.ts';
import { countRequest } from '../limits/rate-limits.ts';
import { networkAddress } from '../network-address.ts';
import { applied } from '../response-headers.ts';
import { limitBody, MAX_BODY_BYTES } from '../security.ts';
import type { Demo } from './demo.ts';

/** Most parameters of a method of the chain. */
const MAX_PARAMS = 4;

/** Code of JSON-RPC. */
const METHOD_NOT_FOUND = -32_601;

const Call = z.object({
  id: z.union([z.number(), z.string().max(64)]),
  method: z.string().max(64),
  params: z.array(z.unknown()).max(MAX_PARAMS).default([]),
});

const Recipient = z.strictObject({ address: Address, onlyIfPoor: z.boolean().default(false) });

const calls = new ConcurrencyLimit(16, 'calls of the local chain');
const gifts = new ConcurrencyLimit(4, 'requests for test money');

/**
 * Routes of the demo: accounts to try, calls of the local chain, and test money. They answer 404 unless `deps.demo`
 * returns a demo, which it does only where `tributary start` runs its own anvil.
 *
 * The pages reach the chain through here rather than at anvil's own address: that would need a browser on the same
 * machine, and would hand every page anvil's methods that sign for its accounts and rewrite the chain.
 */
export function demoRoutes(deps: AppDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get(demoPaths.accounts, applied, async (c) => {
    const { accounts } = await admit(c, deps, 'address');
    c.header('cache-control', 'no-store');
    return c.json({ data: accounts });
  });
  app.post(demoPaths.rpc, applied, async (c) => {
    const demo = await admit(c, deps, 'address');
    const call = Call.safeParse(await readJson(c));
    if (!call.success) {
      throw invalidField(
        '',
        `the body must be a call of JSON-RPC, with at most ${MAX_PARAMS} params`,
      );
    }
    const { id, method: name, params } = call.data;
    const method = demoRpcMethods.find((one) => one === name);
    // Libraries try methods, and go on without one that a node does not have.
    if (method === undefined) {
      const error = { code: METHOD_NOT_FOUND, message: `The demo has no method ${name}.` };
      return c.json({ jsonrpc: '2.0', id, error });
    }
    const answer = await calls.run(deps, () => demo.ask(method, params));
    return c.json({ jsonrpc: '2.0', id, ...answer });
  });
  app.post(demoPaths.faucet, applied, async (c) => {
    const demo = await admit(c, deps, 'write');
    const recipient = Recipient.safeParse(await readJson(c));
    if (!recipient.success) {
      throw invalidField('address', 'must be an address: 0x and 40 hexadecimal digits');
    }
    const { address, onlyIfPoor } = recipient.data;
    const money = await gifts.run(deps, () => demo.give(lowerAddress(address), onlyIfPoor));
    if (money === undefined && !onlyIfPoor) {
      throw unprocessable('This account has plenty of test money.');
    }
    return c.json({ data: money ?? null });
  });
  return app;
}

/** Counts the request. @throws {HttpError} NOT_FOUND without a demo, and if a page of another site sent it. */
async function admit(
  c: Context<AppEnv>,
  { demo, limits, trustedProxies, allowedOrigins }: AppDeps,
  kind: 'address' | 'write',
): Promise<Demo> {
  const running = demo?.();
  if (running === undefined) throw notFound(`There is no route ${c.req.path}.`);
  const ip = networkAddress(c, trustedProxies);
  await countRequest(c, limits, 'address', ip);
  if (kind === 'write') await countRequest(c, limits, kind, ip);
  const origin = c.req.header('origin');
  if (origin !== undefined && !allowedOrigins.includes(origin)) {
    throw new HttpError('ORIGIN_REJECTED', 'The demo answers only pages of this service.');
  }
  return running;
}

async function readJson(c: Context<AppEnv>): Promise<unknown> {
  // A form of another site can be sent without asking; this type cannot.
  if (c.req.header('content-type')?.split(';')[0]?.trim() !== 'application/json') {
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  }
  await limitBody(c, MAX_BODY_BYTES);
  return await c.req.json<unknown>().catch(() => {
    throw invalidField('', 'the body must be JSON');
  });
}
