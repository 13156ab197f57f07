import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { methods, optionalResources, servedMethods } from '../contract/registry.ts';
import { inMountOrder, isPublicRead, isPublicRoute, isReplicaRead } from './public-reads.ts';

const all = servedMethods(new Set(optionalResources));
const chosen = new Set(all.filter(isReplicaRead).map(({ name }) => name));

describe('isPublicRoute', () => {
  const app = new Hono();
  app.use(async (c, next) => {
    c.header('x-public', String(isPublicRoute(c)));
    await next();
  });
  for (const { method, path } of inMountOrder(all)) {
    app.on(method.method, path, (c) => c.body(null));
  }
  for (const { path } of inMountOrder(all)) app.all(path, (c) => c.body(null, 405));
  const publicOf = async (path: string, method = 'GET') =>
    (await app.request(path, { method })).headers.get('x-public');

  it('says of each path what isPublicRead says, also for HEAD', async () => {
    const paths = inMountOrder(all).map(({ path }) => path.replaceAll(/:\w+(\{.*?\})?/g, '7'));
    const answers = new Set<string | null>();
    for (const path of paths) {
      const answer = await publicOf(path);
      if (answer !== 'undefined')
        expect([path, answer]).toEqual([path, String(isPublicRead(path))]);
      expect(await publicOf(path, 'HEAD')).toBe(answer);
      answers.add(answer);
    }
    expect([...answers].sort()).toEqual(['false', 'true', 'undefined']);
  });

  it('leaves a preflight, and a path of no method, to isPublicRead', async () => {
    expect(await publicOf('/v1/receipts', 'OPTIONS')).toBe('undefined');
    expect(await publicOf('/v1/nothing')).toBe('undefined');
  });
});

describe('isReplicaRead', () => {
  it('accepts public reads of the ledger, and sums of a session', () => {
    for (const name of ['receipts.get', 'campaigns.list', 'events.list', 'earnings.summary']) {
      expect(chosen).toContain(name);
    }
  });

  it('refuses writes, and reads of what a person stores', () => {
    for (const { name, method } of all) {
      if (method !== 'GET') expect(chosen).not.toContain(name);
      if (/^(auth|moderation|team|apiKeys|webhooks|intents|orders)\./.test(name)) {
        expect(chosen).not.toContain(name);
      }
    }
    for (const name of ['checkout.getIntent', 'checkout.preview', 'system.status']) {
      expect(chosen).not.toContain(name);
    }
  });
});

describe('serving', () => {
  it('states how only live methods that read are served', () => {
    const stated = methods.filter(({ serving }) => serving !== undefined);
    expect(stated.filter(({ serving }) => serving?.long).length).toBeGreaterThan(5);
    for (const { name, method, availability } of stated) {
      const isBuilt = availability !== 'designed';
      expect([name, method, isBuilt]).toEqual([name, 'GET', true]);
    }
  });

  it('lets no read that writes be cached, be long, or be answered by a replica', () => {
    const writing = methods.filter(({ serving }) => serving?.writes);
    expect(writing.map(({ name, serving }) => [name, serving])).toEqual([
      ['checkout.getIntent', { writes: true }],
      ['checkout.prepareOrder', { writes: true }],
    ]);
    expect(writing.filter(isReplicaRead)).toEqual([]);
  });
});
