import { listKeys } from '../../../db/commerce/api-keys.ts';
import type { Handler } from '../../handler-types.ts';
import { apiKey } from '../../render/api-key.ts';

/** `apiKeys.list`: keys of the caller for the merchant, newest first. */
export const list: Handler<'apiKeys.list'> = async (_input, { pool }, { account, merchant }) => ({
  data: (await listKeys(pool, account, merchant)).map(apiKey),
});
