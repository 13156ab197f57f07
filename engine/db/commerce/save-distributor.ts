import type { Sql } from '../connection.ts';
import type { DistributorProfile } from '../read/distributors/profile.ts';

/**
 * Writes what a distributor says of itself, by its address.
 * @throws PostgresError where another account has the handle.
 */
export async function saveDistributor(sql: Sql, profile: DistributorProfile): Promise<void> {
  const { handle, displayName, visibility } = profile;
  await sql`
    insert into commerce.distributor (address, handle, display_name, visibility)
    values (${profile.address.toLowerCase()}, ${handle}, ${displayName}, ${visibility})
    on conflict (address) do update set handle = excluded.handle,
      display_name = excluded.display_name, visibility = excluded.visibility, updated_at = now()`;
}
