import { type Ability, has, lacks, unknown } from '../ability.ts';
import type { Asker } from '../asker.ts';

/** Requests that are sent concurrently, as by the parts of Tributary together. */
const BURST = 10;

/** Requests the same thing several times concurrently, unless the RPC has already refused for the rate of requests. */
export async function rateOf(asker: Asker): Promise<Ability> {
  if (asker.rateLimited > 0) return limited(asker);
  const before = performance.now();
  const answers = await asker.burst('eth_chainId', BURST);
  const ms = Math.round(performance.now() - before);
  if (asker.rateLimited > 0) return limited(asker);
  const failed = answers.find((one) => one.kind !== 'value');
  if (failed !== undefined) {
    return unknown('rate', `one of ${BURST} concurrent requests failed: it ${failed.reason}`);
  }
  return has(
    'rate',
    `${BURST} concurrent requests in ${ms} ms; a single one takes ${asker.medianMs} ms`,
  );
}

function limited({ rateLimited, calls }: Asker): Ability {
  return lacks('rate', `${rateLimited} of ${calls} calls were refused for their rate`, {
    cost: 'Indexer and settlement pause after each refusal, so that sales appear later and the first start takes longer.',
    set: { RPC_URL: 'several URLs, separated by commas, or a larger plan' },
  });
}
