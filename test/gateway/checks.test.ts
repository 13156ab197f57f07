import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nameOf } from '../../engine/gateway/identity.ts';
import { waitFor } from '../support/wait-for.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { GatewayFixture } from './gateway-fixture.ts';

const identity = { chainId: 8453, contractAddress: `0x${'a'.repeat(40)}` } as const;
const base = `/d/${nameOf(identity)}/v1`;

describe('a deployment behind a load balancer', () => {
  let fake: FakeDeployment;
  let gateway: GatewayFixture;

  beforeEach(async () => {
    fake = await FakeDeployment.open(identity);
    fake.json('/v1/tokens', { data: { items: [] }, meta: {} });
    gateway = await GatewayFixture.open([fake]);
  });

  afterEach(async () => {
    await gateway?.close();
    await fake?.stop();
  });

  const isReady = async () => (await gateway.get('/ready?strict=1')).status === 200;

  const upMetric = async () => {
    const { text } = await gateway.server.readMetrics();
    return /^tributary_gateway_deployment_up\{.*\} (\d)$/m.exec(text)?.[1];
  };

  it.each([
    ['502 of a load balancer', 502, '<html>Bad Gateway</html>'],
    ['503 of an API without its database', 503, '{"error":{"code":"NOT_READY","message":"…"}}'],
    ['404 of another service', 404, '{"error":{"code":"NOT_FOUND","message":"…"}}'],
    ['200 with a page', 200, '<html>Maintenance</html>'],
    ['200 without an identity', 200, '{"data":{},"meta":{"requestId":"1"}}'],
  ])(
    'counts as away while its check gets %s, and as up again afterwards',
    async (_what, status, text) => {
      const check = fake.routes.get('/v1/system/status');
      const tokens = fake.routes.get('/v1/tokens');
      if (check === undefined || tokens === undefined) throw new Error('The routes are missing.');
      expect([await isReady(), await upMetric()]).toEqual([true, '1']);
      for (const path of ['/v1/system/status', '/v1/tokens']) {
        fake.routes.set(path, (_request, response) => response.writeHead(status).end(text));
      }
      // Requests that the load balancer answers meanwhile do not hide it.
      await waitFor(
        async () => {
          await fetch(`${gateway.url}${base}/tokens`).then((response) => response.text());
          return !(await isReady());
        },
        { what: 'the deployment to be away' },
      );
      expect([gateway.directory.all[0]?.state, await upMetric()]).toEqual(['away', '0']);
      const { status: answered, body } = await gateway.get(`${base}/tokens`);
      expect([answered, body.error.issues[0].path]).toEqual([503, nameOf(identity)]);
      fake.routes.set('/v1/system/status', check);
      fake.routes.set('/v1/tokens', tokens);
      await waitFor(isReady, { what: 'the deployment to be up' });
      expect([await upMetric(), (await gateway.get(`${base}/tokens`)).status]).toEqual(['1', 200]);
    },
  );
});
