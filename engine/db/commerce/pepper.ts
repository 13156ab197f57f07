import type { Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import { bytesOfHex } from '../hex.ts';

/** The sealed pepper of API keys: the stored one, or the given one if there is none yet. */
export async function keepPepper(sql: Sql, sealed: Uint8Array): Promise<Uint8Array> {
  await sql`
    insert into commerce.api_key_pepper (sealed) values (${Buffer.from(sealed)})
    on conflict do nothing`;
  const [row] = await sql<{ sealed: Hex }[]>`select sealed from commerce.api_key_pepper`;
  if (row === undefined) throw new Error('The pepper of API keys was not stored.');
  return bytesOfHex(row.sealed);
}

/** Stores the same pepper sealed under a newer key, unless another process has done so. */
export async function replacePepper(
  sql: Sql,
  before: Uint8Array,
  after: Uint8Array,
): Promise<void> {
  await sql`
    update commerce.api_key_pepper set sealed = ${Buffer.from(after)}
    where sealed = ${Buffer.from(before)}`;
}
