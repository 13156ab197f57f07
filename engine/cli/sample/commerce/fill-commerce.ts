import type { Pool } from '../../../db/connection.ts';
import { castOf } from '../cast.ts';
import { SAMPLE_SEED } from '../play-sample.ts';
import { Accounts, type Site } from './accounts.ts';
import { checkOut, dispute } from './buyers.ts';
import { draftCampaigns, isFilled, keepTemplates, nameCampaigns } from './campaigns.ts';
import { chooseHandles, invite, openLinks } from './distributors.ts';
import { describeMerchants } from './merchants.ts';
import { moderate, orderReports } from './office.ts';
import type { Scene } from './scene.ts';

/** In this order: the drafts are the mark that all of it is there. */
const chapters: readonly {
  readonly what: string;
  readonly tell: (scene: Scene) => Promise<void>;
}[] = [
  { what: 'merchants and products', tell: describeMerchants },
  { what: 'policy templates', tell: keepTemplates },
  { what: 'names of campaigns', tell: nameCampaigns },
  { what: 'handles of distributors', tell: chooseHandles },
  { what: 'opened links', tell: openLinks },
  { what: 'invitations', tell: invite },
  { what: 'purchases', tell: checkOut },
  { what: 'disputes', tell: dispute },
  { what: 'reports', tell: orderReports },
  { what: 'moderation', tell: moderate },
  { what: 'drafts', tell: draftCampaigns },
];

export interface FillCommerceOptions extends Site {
  readonly pool: Pool;
  /** Told what is being written, in words. */
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
  const scene: Scene = { accounts, cast: castOf(SAMPLE_SEED), pool };
  try {
    if (await isFilled(scene)) return false;
    for (const { what, tell } of chapters) {
      onProgress(what);
      await tell(scene);
    }
    return true;
  } finally {
    await accounts.leave();
  }
}
