import { join } from 'node:path';
import { z } from 'zod';
import type { Deployment } from '../../db/deployment.ts';
import { askApi } from '../api-client.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { readReport } from '../parent.ts';
import { type Child, cliCommand, spawnChild } from '../stack/processes.ts';
import type { Supervised } from '../stack/supervise.ts';

/** The API that `start` runs. */
export interface ApiChild extends Child {
  /** Resolves with the id of that process when it listens; never, if it ends before. */
  readonly instance: Promise<string>;
}

/** The API of a stack, and what it must serve. */
export interface OwnApi {
  readonly api: Supervised<ApiChild>;
  readonly apiUrl: string;
  readonly deployment: Deployment;
}

/** Seconds that the API may take to listen: a busy machine takes its time to load it. */
const API_SECONDS = 90;

const Health = z.object({ data: z.object({ instance: z.string() }) });

/** What `spawnApi` needs to know. */
export interface ApiChildOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly secrets: readonly string[];
}

/** Starts `tributary api` with a channel on which it reports the id of its process. */
export function spawnApi({ env, logFile, secrets }: ApiChildOptions): ApiChild {
  let report: (instance: string) => void = () => {};
  const instance = new Promise<string>((resolve) => {
    report = resolve;
  });
  const onMessage = (message: unknown) => {
    const found = readReport(message);
    if (found !== undefined) report(found.instance);
  };
  const child = spawnChild({
    name: 'api',
    ...cliCommand(['api']),
    env,
    logFile,
    secrets,
    onMessage,
  });
  return { ...child, instance };
}

/** True if an API ended because its port is taken: it would end the same way again. */
export function isPortTakenExit({ code }: { code: number | null }): boolean {
  return code === exitCodes.portTaken;
}

/**
 * Waits until the API that `start` itself runs answers at `apiUrl`, and checks that it serves this
 * deployment. Call it before anything is read from or written to that address.
 * @throws {CommandError} if another program answers there, or nothing does in time.
 */
export async function confirmOwnApi(stack: OwnApi): Promise<void> {
  const deadline = performance.now() + API_SECONDS * 1_000;
  while (performance.now() < deadline) {
    const child = stack.api.current();
    const own = await Promise.race([child?.instance, child?.exited, pause(1_000)]);
    const answered = typeof own === 'string' ? await instanceAt(stack.apiUrl) : undefined;
    if (typeof own === 'string' && answered === own) {
      await confirmDeployment(stack);
      return;
    }
    // A restart between the two questions makes them differ, too: then the child is another now.
    if (answered !== undefined && child === stack.api.current()) throw foreign(stack.apiUrl);
    await pause(50);
  }
  throw new CommandError(
    `The API did not answer at ${stack.apiUrl} within ${API_SECONDS} s: see ${join('logs', 'api.log')} in DATA_DIR.`,
    exitCodes.unavailable,
  );
}

/** @returns the id that a server answers, `''` if it answers without one, `undefined` if none answers. */
async function instanceAt(apiUrl: string): Promise<string | undefined> {
  const response = await fetch(`${apiUrl}/health`, { signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  if (response === undefined) return undefined;
  const body: unknown = await response.json().catch(() => undefined);
  return Health.safeParse(body).data?.data.instance ?? '';
}

async function confirmDeployment({ apiUrl, deployment }: OwnApi): Promise<void> {
  const { data } = await askApi(apiUrl, (client) => client.system.status({}));
  const differs = (['chainId', 'genesisHash', 'contractAddress'] as const).filter(
    (key) => String(data.deployment[key]).toLowerCase() !== String(deployment[key]).toLowerCase(),
  );
  if (differs.length === 0) return;
  throw new CommandError(
    `The API at ${apiUrl} serves another deployment: ${differs.join(', ')} is not this one's.`,
  );
}

function foreign(apiUrl: string): CommandError {
  return new CommandError(
    `Another program answers at ${apiUrl}: stop it, or set PORT to another port.`,
    exitCodes.portTaken,
  );
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
