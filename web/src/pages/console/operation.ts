import type { Client } from '../../../../engine/client/index.ts';
import type { DataOf } from '../../api.ts';

/** An answer of `operations.*`. */
export type PreparedOperation = DataOf<Client['operations']['pause']>;
