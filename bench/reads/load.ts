import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { checksumOf } from '../harness/measure.ts';

const run = promisify(execFile);

/** Connections of the load, each of which asks again as soon as it is answered. */
export const CONNECTIONS = 32;

/** Paths, and the headers to request them with. */
export interface Requested {
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

const Loaded = z.object({
  perSecond: z.number(),
  /** Milliseconds. */
  p50: z.number(),
  p99: z.number(),
  /** Answers that are a success, and such that say 503: given up, because it took too long. */
  answered: z.number(),
  refused: z.number(),
  /** All that are no success. */
  failed: z.number(),
});
export type Loaded = z.infer<typeof Loaded>;

/** Seconds in which even what takes some of them has answered each connection. */
const LONG_SECONDS = 20;

/**
 * Puts a server under load for that long, or longer if not every connection got a response by then:
 * with only a few responses, the slowest would not be counted.
 * @throws where any answer is an error, and no 503.
 */
export async function load(url: string, requested: Requested, seconds: number): Promise<Loaded> {
  const loaded = await loadFor(url, requested, seconds);
  if (loaded.answered >= CONNECTIONS || seconds >= LONG_SECONDS) return loaded;
  return await loadFor(url, requested, LONG_SECONDS);
}

/** Requests one after the other on one connection, as one user alone would. */
export async function loadAlone(
  url: string,
  requested: Requested,
  seconds: number,
): Promise<Loaded> {
  return await loadFor(url, requested, seconds, 1);
}

async function loadFor(
  url: string,
  requested: Requested,
  seconds: number,
  connections = CONNECTIONS,
): Promise<Loaded> {
  const program = new URL('./load-client.ts', import.meta.url);
  return await runClient(program, { url, ...requested, connections, seconds });
}

/** Requests that one load at a fixed rate sends at least, so that its 99th percentile is of several. */
const MIN_AT_RATE = 300;

/**
 * Sends requests to a server at a fixed rate, each when it is due, whether or not earlier ones are answered.
 * @throws if any response is an error other than 503.
 */
export async function loadAtRate(
  url: string,
  requested: Requested,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Loaded> {
  const program = new URL('./open-loop.ts', import.meta.url);
  const long = Math.min(LONG_SECONDS, Math.max(seconds, MIN_AT_RATE / perSecond));
  return await runClient(program, { url, ...requested, perSecond, seconds: long });
}

async function runClient(
  programUrl: URL,
  request: Requested & { readonly url: string } & Readonly<Record<string, unknown>>,
): Promise<Loaded> {
  const { url } = request;
  const program = fileURLToPath(programUrl);
  const question = JSON.stringify(request);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', program, question], {
    maxBuffer: 16 * 1024 * 1024,
  });
  const loaded = Loaded.parse(JSON.parse(stdout));
  const errors = loaded.failed - loaded.refused;
  if (errors > 0) throw new Error(`${errors} of the answers of ${url} failed`);
  return loaded;
}

const Answer = z.looseObject({ data: z.unknown() });

/** Checksum of the data of all responses, each requested once. @throws if one is not a success. */
export async function checksumOfAnswers(
  url: string,
  { paths, headers }: Requested,
): Promise<string> {
  const texts: string[] = [];
  for (const path of paths) {
    const answer = await fetch(`${url}${path}`, { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    texts.push(JSON.stringify(Answer.parse(await answer.json()).data));
  }
  return checksumOf(texts.join('\n'));
}
