import type { Address } from '../../core/events.ts';
import { type Intent, readIntent } from '../../db/commerce/intents.ts';
import type { AppDeps } from '../deps.ts';
import { NotFoundError } from '../errors.ts';

/** @throws {NotFoundError} where there is none of that id, or it is another buyer's. */
export async function ownIntent(
  { pool }: Pick<AppDeps, 'pool'>,
  id: string,
  buyer: Address,
): Promise<Intent> {
  const intent = await readIntent(pool, { id, buyer });
  if (intent === undefined) throw new NotFoundError(`You have no checkout intent ${id}.`);
  return intent;
}
