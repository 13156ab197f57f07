import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../engine/cli/stack/processes.ts';
import type { WebhookMessage } from '../../../engine/client/index.ts';
import { WebhookSender } from '../../../engine/jobs/webhooks/send.ts';
import { webhookHeaders } from '../../../engine/jobs/webhooks/sign.ts';
import { newWebhookSecret } from '../../../engine/secrets/webhook-secret.ts';
import { receiverWithClient } from '../../../examples/receiver-with-client.ts';
import { saleMessage } from '../../support/webhook-message.ts';

describe('docs/use/webhooks.md', () => {
  it.each(['with-client', 'by-hand'])(
    'leads to the receiver %s, which these tests run',
    async (name) => {
      const page = await readFile(join(projectRoot, 'docs', 'use', 'webhooks.md'), 'utf8');
      expect(page).toContain(`(../../examples/receiver-${name}.ts)`);
    },
  );
});

describe('the receiver of docs/use/webhooks.md that uses the client', () => {
  const secret = newWebhookSecret();
  const stored = new Map<string, WebhookMessage>();
  let isFull = false;
  const server = receiverWithClient(secret, async (eventId, message) => {
    if (isFull) throw new Error('The disk is full.');
    stored.set(eventId, message);
  });
  const sender = new WebhookSender({ allowCidrs: [], allowLoopback: true });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    await sender.close();
    server.close();
  });

  async function statusOf(body: string, signedBy = secret): Promise<number | undefined> {
    const { port } = Object(server.address());
    const timestamp = new Date();
    const headers = webhookHeaders({ id: 'evt_1', timestamp, body, secrets: [signedBy] });
    const outcome = await sender.send({ url: `http://127.0.0.1:${port}/`, headers, body });
    return outcome.kind === 'answered' ? outcome.status : undefined;
  }

  it('stores a message and answers 204; the second time it has the id already', async () => {
    const message = saleMessage();
    for (let i = 0; i < 2; i += 1) expect(await statusOf(JSON.stringify(message))).toBe(204);
    expect([...stored]).toEqual([['evt_1', message]]);
  });

  it('answers 400 to another signature or body, and 500 if it cannot store the message', async () => {
    const body = JSON.stringify(saleMessage({ eventId: 'evt_2' }));
    expect(await statusOf(body, newWebhookSecret())).toBe(400);
    expect(await statusOf('{}')).toBe(400);
    isFull = true;
    expect(await statusOf(body)).toBe(500);
    expect([...stored.keys()]).toEqual(['evt_1']);
  });
});
