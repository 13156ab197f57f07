import { z } from 'zod';
import { get, resource } from '../define.ts';
import { CampaignId, Hash32, Timestamp } from '../values.ts';

const CampaignMetadata = z.strictObject({
  campaignId: CampaignId,
  metadataHash: Hash32.describe('keccak-256 of `text` in UTF-8, as it is on the chain.'),
  text: z.string().describe('Canonical JSON (RFC 8785): docs/api.md, "Publishing a campaign".'),
  bytes: z
    .string()
    .regex(/^0x(?:[0-9a-f]{2})*$/)
    .describe('The bytes of `text`, which hash to `metadataHash`.'),
  preparedAt: Timestamp.describe('When its merchant prepared it here.'),
});

/** Methods for the text behind a campaign’s metadataHash. */
export const metadata = resource('metadata', {
  about: 'The text behind a campaign’s metadataHash.',
  caller: 'public',
  documentedName: null,
})({
  get: get('/v1/campaigns/:campaignId/metadata', {
    summary: 'The text whose hash is a campaign’s metadataHash; 404 if it was not prepared here.',
    input: { params: z.strictObject({ campaignId: CampaignId }) },
    output: CampaignMetadata,
  }),
});
