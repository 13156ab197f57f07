import type { Env } from '../../env.ts';
import { fillCommerce } from '../sample/index.ts';
import type { Stack } from './stack.ts';

/**
 * Fills the commerce side of the sample, and says in a sentence what came of it. It is there to be
 * looked at: where the API refuses, because somebody changed the sample or its limits, the start
 * goes on without it.
 */
export async function fillSample(
  env: Env,
  { apiUrl, pool }: Stack,
  onProgress: (text: string) => void,
): Promise<string> {
  const origin = originOf(env, apiUrl);
  if (origin === undefined) {
    return 'Nobody can sign in, so the sample has no commerce side: set PUBLIC_URL';
  }
  try {
    const wrote = await fillCommerce({ apiUrl, origin, pool, onProgress });
    return wrote ? 'Wrote the commerce side of the sample' : 'The commerce side is there';
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `The commerce side of the sample is not whole: ${reason}`;
  }
}

/** The origin that messages of a sign-in name: one that the API allows. */
function originOf({ publicUrl, host, allowedOrigins }: Env, apiUrl: string): string | undefined {
  const own = host === '127.0.0.1' || host === 'localhost' ? apiUrl : undefined;
  return publicUrl ?? own ?? allowedOrigins[0];
}
