import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Env } from '../env.ts';
import { isAlive } from './stack/alive.ts';

/** What `tributary start` tells the other commands of the deployment that runs here. */
const schema = z.object({
  pid: z.number().int(),
  apiUrl: z.string(),
  /** Of the embedded chain alone: another one's may hold a key. */
  rpcUrl: z.string().optional(),
  /** Of the embedded PostgreSQL alone, and without its password. */
  databaseUrl: z.string().optional(),
  chainId: z.number().int(),
  startBlock: z.number().int().optional(),
  contractAddress: z.templateLiteral(['0x', z.string()]),
});
export type Running = z.infer<typeof schema>;

function fileOf({ dataDir }: Pick<Env, 'dataDir'>): string {
  return join(dataDir, 'running.json');
}

/** @returns `undefined` where nothing runs here. */
export async function readRunning(env: Pick<Env, 'dataDir'>): Promise<Running | undefined> {
  try {
    const running = schema.parse(JSON.parse(await readFile(fileOf(env), 'utf8')));
    return isAlive(running.pid) ? running : undefined;
  } catch {
    // No file, or of another version, or of a process that is gone.
    return undefined;
  }
}

/** Notes what runs here; the file holds no secret. */
export async function writeRunning(env: Pick<Env, 'dataDir'>, running: Running): Promise<void> {
  await mkdir(env.dataDir, { recursive: true });
  const text = JSON.stringify(schema.parse(running), null, 2);
  await writeFile(fileOf(env), `${text}\n`, { mode: 0o600 });
}

export async function removeRunning(env: Pick<Env, 'dataDir'>): Promise<void> {
  await rm(fileOf(env), { force: true });
}
