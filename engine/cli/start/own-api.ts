import { join } from 'node:path';
import { z } from 'zod';
import type { Deployment } from '../../db/deployment.ts';
import { askApi } from '../api-client.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { type OwnChain, readReport } from '../parent.ts';
import { Patience, processorTime } from '../stack/patience.ts';
import { type Child, cliCommand, spawnChild } from '../stack/processes.ts';
import type { Supervised } from '../stack/supervise.ts';

/** The API that `start` runs. */
export interface ApiChild extends Child {
  /** Resolves with the id of the process when it listens; never if it ends before. */
  readonly instance: Promise<string>;
}

/** The API that `start` runs, and the deployment that it must serve. */
export interface OwnApi {
  readonly api: Supervised<ApiChild>;
  readonly apiUrl: string;
  readonly deployment: Deployment;
}

/** Seconds of a free machine in which an API that does nothing must have responded. */
const API_SECONDS = 90;

const Health = z.object({ data: z.object({ instance: z.string() }) });

/** Options of `spawnApi`. */
export interface ApiChildOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly secrets: readonly string[];
  /** RPC of the chain that `start` itself runs; unset if a chain is configured. */
  readonly ownRpcUrl?: string | undefined;
}

/** Starts `tributary api` with an IPC channel on which it reports its id. */
export function spawnApi({ env, logFile, secrets, ownRpcUrl }: ApiChildOptions): ApiChild {
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
    ...(ownRpcUrl !== undefined && { greeting: greetingOf(ownRpcUrl) }),
  });
  return { ...child, instance };
}

function greetingOf(rpcUrl: string): OwnChain {
  return { type: 'own-chain', rpcUrl };
}

/** True if a process ended because its port is in use: it would end the same way again. */
export function isPortTakenExit({ code }: { code: number | null }): boolean {
  return code === exitCodes.portTaken;
}

/**
 * Waits until the API that `start` runs responds at `apiUrl`, and checks that it serves this
 * deployment. Call it before reading from or writing to that address.
 * @throws {CommandError} if another program responds there, or none does in time.
 */
export async function confirmOwnApi(stack: OwnApi): Promise<void> {
  const patience = new Patience(API_SECONDS);
  let mostWork = 0;
  while (!patience.isOver) {
    const child = stack.api.current();
    const own = await Promise.race([child?.instance, child?.exited, patience.pause(1_000)]);
    // An API that is restarted again and again does not get further than before.
    const work = child === undefined ? 0 : processorTime(child.pid);
    if (typeof own !== 'string' && work > mostWork) patience.progressed();
    mostWork = Math.max(mostWork, work);
    const answered = typeof own === 'string' ? await instanceAt(stack.apiUrl) : undefined;
    if (typeof own === 'string' && answered === own) {
      await confirmDeployment(stack);
      return;
    }
    // A restart between the two requests also makes them differ, but then the child is another one.
    if (answered !== undefined && child === stack.api.current()) throw foreign(stack.apiUrl);
    await patience.pause(50);
  }
  throw new CommandError(
    `The API does not respond at ${stack.apiUrl}, and has done nothing for ${API_SECONDS} s: see ${join('logs', 'api.log')} in DATA_DIR.`,
    exitCodes.unavailable,
  );
}

/** Id that a server returns; `''` if it returns none, `undefined` if no server responds. */
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
    `The API at ${apiUrl} serves another deployment (different: ${differs.join(', ')}).`,
  );
}

function foreign(apiUrl: string): CommandError {
  return new CommandError(
    `Another program responds at ${apiUrl}: stop it, or set PORT to another port.`,
    exitCodes.portTaken,
  );
}
