import { ApiError, type Client, createClient } from '../client/index.ts';
import type { Env } from '../env.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import { readRunning } from './running.ts';

/** Where the API of a command is: as told, as it runs here, or where it would. */
export async function apiUrlOf(env: Env, told: string | undefined): Promise<string> {
  return told ?? (await readRunning(env))?.apiUrl ?? `http://${env.host}:${env.port}`;
}

/** How often a call that came too soon is made again, each time when the API says. */
const PATIENCE = 5;

/**
 * Asks the API, and turns what can go wrong into a sentence.
 * @throws {CommandError} `unavailable` where it does not answer, `failed` where it refuses.
 */
export async function askApi<T>(baseUrl: string, ask: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await patiently(() => ask(createClient({ baseUrl })));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status >= 400 && error.status < 500) throw new CommandError(error.message);
    const reason = error.status === 0 ? 'nothing answers there' : error.message;
    throw new CommandError(
      `The API at ${baseUrl} did not answer: ${reason}. Is it running? \`npm start\` runs it here.`,
      exitCodes.unavailable,
    );
  }
}

/** Waits where the API says that it was asked too often, and asks again. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const wait = error instanceof ApiError && error.status === 429 ? error.retryAfter : null;
      if (wait === null || tries > PATIENCE) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
    }
  }
}
