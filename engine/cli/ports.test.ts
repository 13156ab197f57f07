import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Env, readEnv } from '../env.ts';
import { choosePorts } from './ports.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, 'close');
  }
});

/** A port of another program. */
async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

const env = readEnv({});

describe('choosePorts', () => {
  it('chooses a free port if the default port is in use', async () => {
    const port = await takenPort();
    const chosen = await choosePorts({ ...env, port, portIsDefault: true });
    expect(chosen.port).toBeGreaterThan(port);
    expect(chosen).toEqual({ ...env, port: chosen.port, portIsDefault: true });
  });

  it('returns the configured ports if they are free', async () => {
    const port = await takenPort();
    const [server] = servers.splice(0);
    server?.close();
    if (server !== undefined) await once(server, 'close');
    const free: Env = { ...env, port, portIsDefault: false };
    expect(await choosePorts(free)).toBe(free);
  });

  it('throws one sentence and exit code 4 if a configured port is in use', async () => {
    const port = await takenPort();
    const message = `Port ${port} is in use by another program: stop it, or set PORT to another port.`;
    await expect(choosePorts({ ...env, port, portIsDefault: false })).rejects.toMatchObject({
      message,
      exitCode: 4,
    });
  });

  it('checks the metrics ports of each worker and of the API', async () => {
    const taken = await takenPort();
    const metrics = { ...env, portIsDefault: true, workers: 2 };
    for (const metricsPort of [taken, taken - 1, taken - 2]) {
      await expect(choosePorts({ ...metrics, metricsPort })).rejects.toThrow('set METRICS_PORT');
    }
  });
});
