import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { projectRoot, spawnChild } from '../../engine/cli/stack/processes.ts';
import { waitFor } from './wait-for.ts';

/** The configuration of the deployment kit. */
export const CADDYFILE = join(projectRoot, 'deploy', 'Caddyfile');

/** Whether there is a `caddy` on the PATH. */
export const caddyAvailable = spawnSync('caddy', ['version'], { stdio: 'ignore' }).status === 0;

if (!caddyAvailable) {
  console.warn('No caddy on the PATH: the tests of the reverse proxy are skipped.');
}

/** A running Caddy with the configuration of the deployment kit, without TLS. */
export interface TestCaddy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts Caddy in front of APIs. @param upstreams their addresses, such as 127.0.0.1:4001. */
export async function startCaddy(upstreams: readonly string[]): Promise<TestCaddy> {
  const [port, dir] = [await freePort(), await mkdtemp(join(tmpdir(), 'tributary-caddy-'))];
  const url = `http://127.0.0.1:${port}`;
  const child = spawnChild({
    name: 'caddy',
    command: 'caddy',
    args: ['run', '--adapter', 'caddyfile', '--config', CADDYFILE],
    env: {
      HOME: dir,
      CADDY_ADMIN: 'off',
      TRIBUTARY_SITE: url,
      TRIBUTARY_UPSTREAMS: upstreams.join(' '),
    },
    logFile: join(dir, 'caddy.log'),
  });
  await waitFor(async () => (await fetch(`${url}/metrics`)).status === 404, { what: 'Caddy' });
  return {
    url,
    stop: async () => {
      await child.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
