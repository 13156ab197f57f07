import type { Sql } from '../../../engine/db/connection.ts';
import type { DistributorProfile } from '../../../engine/db/read/distributors/profile.ts';

/** Stores the profile of a distributor, without the rules of `reputation.updateVisibility`. */
export async function saveDistributor(sql: Sql, profile: DistributorProfile): Promise<void> {
  const { handle, displayName, visibility } = profile;
  await sql`
    insert into commerce.distributor (address, handle, display_name, visibility)
    values (${profile.address.toLowerCase()}, ${handle}, ${displayName}, ${visibility})
    on conflict (address) do update set handle = excluded.handle,
      display_name = excluded.display_name, visibility = excluded.visibility, updated_at = now()`;
}
