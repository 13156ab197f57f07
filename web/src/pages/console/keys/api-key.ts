import type { Client } from '../../../../../engine/client/index.ts';
import type { DataOf } from '../../../api.ts';

/** An API key as its owner sees it: without its secret. */
export type ApiKey = DataOf<Client['apiKeys']['list']>[number];
