import { closePool } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { claimChain, openDatabase, requireDeployment, untilStopped } from '../connect.ts';
import { CommandError } from '../exit-codes.ts';
import { openLogOutput } from '../log-output.ts';
import { makeLogger } from '../logger.ts';
import { serveMetrics } from '../metrics-server.ts';
import type { Indexer } from '../stack/indexer.ts';
import type { Supervised } from '../stack/supervise.ts';
import { indexerRefused, superviseIndexer } from '../start/indexer.ts';
import { confirmSurroundings } from '../startup/confirm-surroundings.ts';
import { Teardown } from '../teardown.ts';

/** Milliseconds in which Ponder must respond to a probe. */
const PROBE_MS = 2_000;

/**
 * Runs `tributary indexer`: Ponder without the other parts, until a signal. Restarts Ponder when it ends, and
 * switches to a new schema after `tributary reindex`, as `tributary start` does. Its log goes to standard
 * output. One indexer of a deployment may run: a second one waits for the lock of the first, and fails.
 */
export async function runIndexer(env: Env): Promise<void> {
  await Teardown.after((teardown) => run(env, teardown));
}

async function run(env: Env, teardown: Teardown): Promise<void> {
  const required = requireDeployment(env);
  const { chain, databaseUrl } = required;
  const output = openLogOutput();
  const base = { process: 'indexer', pid: process.pid };
  const log = makeLogger({ level: env.logLevel, base }, output);
  await confirmSurroundings('indexer', env, (sentence) => log.warn(sentence));
  const pool = openDatabase(required, 'indexer', { max: 3 });
  teardown.add('the database pool', () => closePool(pool));
  await migrate(pool, { log: (line) => log.info(line) });
  const deployment = await claimChain(pool, chain);
  const stopped = untilStopped();
  const indexer = await superviseIndexer({
    ...{ deployment, chain, databaseUrl, pool },
    pollingIntervalMs: env.pollingIntervalMs,
    output: (line) => output.write(`${line}\n`),
    log: (line) => log.warn(line),
  });
  teardown.add('the indexer', () => indexer.stop());
  if (env.metricsPort !== undefined) {
    const read = async () => {
      const response = await askPonder(indexer, '/metrics').catch(() => undefined);
      const contentType = 'text/plain; version=0.0.4; charset=utf-8';
      return { text: response?.ok ? await response.text() : '', contentType };
    };
    const server = await serveMetrics(env, env.metricsPort, read, {
      health: () => probe(indexer, '/health', 'Ponder does not respond.'),
      ready: () => probe(indexer, '/ready', 'The history is not indexed yet.'),
    });
    teardown.add('the metrics', () => server.close());
  }
  log.info({ schema: indexer.current()?.schema }, 'the indexer is running');
  const end = await Promise.race([stopped, indexer.gaveUp]);
  await teardown.run();
  log.info('the indexer has stopped');
  if (typeof end === 'string') return;
  throw new CommandError(indexerRefused(end.reason, 'its last lines'));
}

async function probe(
  indexer: Supervised<Indexer>,
  path: '/health' | '/ready',
  otherwise: string,
): Promise<string | undefined> {
  const response = await askPonder(indexer, path).catch(() => undefined);
  return response?.ok ? undefined : otherwise;
}

/** @throws {Error} if Ponder is not running, or does not respond in time. */
async function askPonder(indexer: Supervised<Indexer>, path: string): Promise<Response> {
  const child = indexer.current();
  if (child === undefined) throw new Error('Ponder is being restarted.');
  const signal = AbortSignal.timeout(PROBE_MS);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const port = await Promise.race([child.port(), late]);
  return await fetch(`http://127.0.0.1:${port}${path}`, { signal });
}
