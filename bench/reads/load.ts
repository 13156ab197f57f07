import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { checksumOf } from '../harness/measure.ts';

const run = promisify(execFile);

/** Connections of the load, each of which asks again as soon as it is answered. */
export const CONNECTIONS = 32;

/** What a list of paths is asked for with. */
export interface Asked {
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

const Loaded = z.object({
  perSecond: z.number(),
  /** Milliseconds. */
  p50: z.number(),
  p99: z.number(),
  failed: z.number(),
});
export type Loaded = z.infer<typeof Loaded>;

/** Puts a server under load for so long. @throws where any answer is no success. */
export async function load(url: string, asked: Asked, seconds: number): Promise<Loaded> {
  const program = fileURLToPath(new URL('./load-client.ts', import.meta.url));
  const question = JSON.stringify({ url, ...asked, connections: CONNECTIONS, seconds });
  const { stdout } = await run(process.execPath, ['--import', 'tsx', program, question], {
    maxBuffer: 16 * 1024 * 1024,
  });
  const loaded = Loaded.parse(JSON.parse(stdout));
  if (loaded.failed > 0) throw new Error(`${loaded.failed} of the answers of ${url} failed`);
  return loaded;
}

const Answer = z.looseObject({ data: z.unknown() });

/** Of the data of all answers, each asked for once. @throws where one is no success. */
export async function checksumOfAnswers(url: string, { paths, headers }: Asked): Promise<string> {
  const texts: string[] = [];
  for (const path of paths) {
    const answer = await fetch(`${url}${path}`, { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    texts.push(JSON.stringify(Answer.parse(await answer.json()).data));
  }
  return checksumOf(texts.join('\n'));
}
