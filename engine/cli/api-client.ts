import { ApiError, type Client, createClient } from '../client/index.ts';
import { plainText } from '../core/plain-text.ts';
import type { Env } from '../env.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import { readRunning } from './running.ts';

/** Base address of the API: the given one, else the one that runs here, else the configured one. */
export async function apiUrlOf(env: Env, override: string | undefined): Promise<string> {
  return override ?? (await readRunning(env))?.apiUrl ?? `http://${env.host}:${env.port}`;
}

/** A rate limit starts again after a minute: a command of many calls waits for that. */
const RETRY = { maxWaitSeconds: 60 } as const;

/**
 * Calls the API, and turns errors into sentences.
 * @throws {CommandError} `unavailable` if it does not respond, `notFound` if it does not have what is asked for,
 * `failed` if it rejects the call.
 */
export async function askApi<T>(baseUrl: string, ask: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await ask(createClient({ baseUrl, retry: RETRY }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const message = plainText(error.message);
    if (error.status === 404) throw new CommandError(message, exitCodes.notFound);
    if (error.status >= 400 && error.status < 500) throw new CommandError(message);
    const reason = error.status === 0 ? 'no connection' : message;
    throw new CommandError(
      `The API at ${baseUrl} did not respond: ${reason}. Is it running? \`tributary start\` runs one here.`,
      exitCodes.unavailable,
    );
  }
}
