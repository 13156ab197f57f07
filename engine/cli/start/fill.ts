import { fillCommerce } from '../../../sample/commerce/fill-commerce.ts';
import type { Env } from '../../env.ts';
import type { Stack } from './stack.ts';

/**
 * Fills the commerce side of the sample through the API, and returns the result as a sentence. An
 * error does not end the start: the API may reject it after the sample or its limits were changed.
 */
export async function fillSample(
  env: Env,
  { apiUrl, pool }: Stack,
  onProgress: (text: string) => void,
): Promise<string> {
  const origin = originOf(env, apiUrl);
  if (origin === undefined) {
    return 'Skipped profiles, products and orders: sign-in needs PUBLIC_URL';
  }
  try {
    const wrote = await fillCommerce({ apiUrl, origin, pool, onProgress });
    return wrote
      ? 'Added profiles, products and orders'
      : 'Profiles, products and orders exist already';
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `Profiles, products and orders of the sample are incomplete: ${reason}`;
  }
}

/** Origin for sign-in messages, which the API must allow. */
function originOf({ publicUrl, host, allowedOrigins }: Env, apiUrl: string): string | undefined {
  const own = host === '127.0.0.1' || host === 'localhost' ? apiUrl : undefined;
  return publicUrl ?? own ?? allowedOrigins[0];
}
