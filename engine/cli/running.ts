import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Env } from '../env.ts';
import { isAlive } from './stack/alive.ts';

/** Description of the running deployment, which `tributary start` writes for other commands. */
const schema = z.object({
  pid: z.number().int(),
  apiUrl: z.string(),
  /** RPC of the embedded chain only: other URLs may hold a key. */
  rpcUrl: z.string().optional(),
  /** URL of the embedded PostgreSQL only, without its password. */
  databaseUrl: z.string().optional(),
  chainId: z.number().int(),
  startBlock: z.number().int().optional(),
  contractAddress: z.templateLiteral(['0x', z.string()]),
});
/** A deployment that runs in this data folder. */
export type Running = z.infer<typeof schema>;

function fileOf({ dataDir }: Pick<Env, 'dataDir'>): string {
  return join(dataDir, 'running.json');
}

/** Reads the running deployment. @returns `undefined` if none is running here. */
export async function readRunning(env: Pick<Env, 'dataDir'>): Promise<Running | undefined> {
  try {
    const running = schema.parse(JSON.parse(await readFile(fileOf(env), 'utf8')));
    return isAlive(running.pid) ? running : undefined;
  } catch {
    // There is no file, it is from another version, or its process is gone.
    return undefined;
  }
}

/** Records the running deployment; the file holds no secret. */
export async function writeRunning(env: Pick<Env, 'dataDir'>, running: Running): Promise<void> {
  await mkdir(env.dataDir, { recursive: true });
  const text = JSON.stringify(schema.parse(running), null, 2);
  await writeFile(fileOf(env), `${text}\n`, { mode: 0o600 });
}

/** Removes the record of the running deployment. */
export async function removeRunning(env: Pick<Env, 'dataDir'>): Promise<void> {
  await rm(fileOf(env), { force: true });
}
