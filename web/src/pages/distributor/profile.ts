import type { Answer, api } from '../../api.ts';

/** A distributor as everybody may see it. */
export type Profile = Answer<typeof api.reputation.get>;
export type TrackRecord = NonNullable<Profile['record']>;
