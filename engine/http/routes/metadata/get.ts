import { stringToHex } from 'viem';
import { campaignMetadata } from '../../../db/read/metadata/get.ts';
import { readLedger } from '../../../db/read/snapshot.ts';
import { notFound } from '../../errors.ts';
import { chainMeta, type Handler } from '../../handler-types.ts';
import { requireCampaign } from '../../resources/campaigns/find-campaign.ts';

/** `metadata.get`: the text behind a campaign's `metadataHash`, and its bytes. */
export const get: Handler<'metadata.get'> = async ({ campaignId }, { pool, deployment }) =>
  await readLedger(pool, async (snapshot) => {
    const campaign = await requireCampaign(snapshot, campaignId);
    const found = await campaignMetadata(snapshot, campaign);
    if (found === undefined) {
      throw notFound(`The metadata of campaign ${campaignId} was not prepared by this service.`);
    }
    return {
      data: {
        campaignId: campaign.campaignId,
        metadataHash: campaign.metadataHash,
        text: found.content,
        bytes: stringToHex(found.content),
        preparedAt: found.preparedAt.toISOString(),
      },
      chain: chainMeta(deployment, snapshot.head, campaign.creation.blockNumber, campaignId),
    };
  });
