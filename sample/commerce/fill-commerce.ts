import type { Pool } from '../../engine/db/connection.ts';
import { actorsOf } from '../actors.ts';
import { SAMPLE_SEED } from '../run-sample.ts';
import { Accounts, type Site } from './accounts.ts';
import { checkOut, dispute, orderDelivery } from './buyers.ts';
import {
  draftCampaigns,
  isFilled,
  moderate,
  nameCampaigns,
  publishMetadata,
  saveTemplates,
} from './campaigns.ts';
import { askToJoin, chooseHandles, invite, openLinks } from './distributors.ts';
import { describeMerchants, orderReports } from './merchants.ts';
import type { World } from './world.ts';

/** Steps in their order. The drafts come last: if they exist, all other data does too. */
const parts: readonly {
  readonly what: string;
  readonly write: (world: World) => Promise<void>;
}[] = [
  { what: 'merchants and products', write: describeMerchants },
  { what: 'metadata of campaigns', write: publishMetadata },
  { what: 'policy templates', write: saveTemplates },
  { what: 'names of campaigns', write: nameCampaigns },
  { what: 'handles of distributors', write: chooseHandles },
  { what: 'opened links', write: openLinks },
  { what: 'invitations', write: invite },
  { what: 'requests to join', write: askToJoin },
  { what: 'purchases', write: checkOut },
  { what: 'delivery details', write: orderDelivery },
  { what: 'disputes', write: dispute },
  { what: 'reports', write: orderReports },
  { what: 'moderation', write: moderate },
  { what: 'drafts', write: draftCampaigns },
];

export interface FillCommerceOptions extends Site {
  readonly pool: Pool;
  /** Receives the name of the step that begins. */
  readonly onProgress: (text: string) => void;
}

/**
 * Fills the commerce side of the sample: people sign in at the API with their keys and write what
 * people write. The sample history must be settled. What is there already stays: done again, or
 * after it was cut short, it adds only what is missing.
 *
 * @returns whether there was something to write.
 * @throws ApiError where the API refuses.
 */
export async function fillCommerce(options: FillCommerceOptions): Promise<boolean> {
  const { pool, onProgress } = options;
  const accounts = new Accounts(options);
  const world: World = { accounts, actors: actorsOf(SAMPLE_SEED), pool };
  try {
    if (await isFilled(world)) return false;
    for (const { what, write } of parts) {
      onProgress(what);
      await write(world);
    }
    return true;
  } finally {
    await accounts.leave();
  }
}
