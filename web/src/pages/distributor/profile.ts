import type { api, DataOf } from '../../api.ts';

/** A distributor as everybody may see it. */
export type Profile = DataOf<typeof api.reputation.get>;
export type TrackRecord = NonNullable<Profile['record']>;
