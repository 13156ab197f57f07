import { z } from 'zod';
import { get, post, resource } from '../define.ts';
import { nameSchemas } from '../names.ts';
import { Address, CampaignId, Id, pageOf, pageQuery, Timestamp, textInput } from '../values.ts';

const params = z.strictObject({ campaignId: CampaignId });

const body = z.strictObject({
  reason: textInput(500)
    .min(1)
    .describe('Why: it is shown to everyone who opens the hidden campaign; 1 to 500 characters.'),
});

const Decision = z.strictObject({
  id: Id.describe('Counts up: a later decision has a higher one.'),
  campaignId: CampaignId,
  action: z.enum(['hide', 'unhide']),
  reason: z.string(),
  operator: Address.describe('Who decided.'),
  at: Timestamp,
});

nameSchemas({ ModerationDecision: Decision });

/** Methods for operators (docs/api.md#scopes); 403 for other accounts. */
export const moderation = resource('moderation', {
  about: 'What operators took out of the lists, and why.',
  caller: 'operator',
  documentedName: null,
})({
  hide: post('/v1/operator/campaigns/:campaignId/hide', {
    summary: 'Removes a campaign from the lists; its page stays, with the reason.',
    input: { params, body },
    output: Decision,
  }),
  unhide: post('/v1/operator/campaigns/:campaignId/unhide', {
    summary: 'Puts a hidden campaign back into the lists; 409 if it is not hidden.',
    input: { params, body },
    output: Decision,
  }),
  log: get('/v1/operator/moderation', {
    summary: 'All decisions of operators, newest first.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        campaignId: CampaignId.describe('About this campaign alone.').optional(),
      }),
    },
    output: pageOf(Decision),
  }),
});
