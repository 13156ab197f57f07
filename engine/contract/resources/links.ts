import { z } from 'zod';
import { get, patch, resource } from '../define.ts';
import { JoinPreview, Link, LinkLabel, LinkStats, OwnLink } from '../shapes/link.ts';
import { CampaignId, NodeId, nameInput, pageOf, pageQuery, Timestamp } from '../values.ts';

/** 366 days. */
const MAX_RANGE_MS = 366 * 86_400_000;

const params = z.strictObject({ nodeId: NodeId });

/** Methods for referral links. */
export const links = resource('links', {
  about: 'Nodes of the referral graph as links to share.',
  caller: 'account',
  documentedName: null,
})({
  mine: get('/v1/me/links', {
    serving: { long: true },
    summary: 'The nodes that the caller owns, newest first, with their campaigns.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        campaignId: CampaignId.describe('Only this campaign.').optional(),
      }),
    },
    output: pageOf(OwnLink),
  }),
  get: get('/v1/links/:nodeId', {
    caller: 'public',
    summary: 'A node with its campaign, its code, and its public counters.',
    input: { params },
    output: Link,
  }),
  joinPreview: get('/v1/campaigns/:campaignId/join-preview', {
    summary: 'What joining a campaign would give the caller, with the transaction to sign.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: z.strictObject({
        parentNodeId: NodeId.describe('Node to join under; omit to become a root.').optional(),
      }),
    },
    output: JoinPreview,
  }),
  label: patch('/v1/me/links/:nodeId', {
    summary: 'Sets the label of one of the caller’s links, which only the caller sees.',
    input: {
      params,
      body: z.strictObject({
        label: nameInput.nullable().describe('1 to 100 characters; null removes it.'),
      }),
    },
    output: z.strictObject({ nodeId: NodeId, campaignId: CampaignId, label: LinkLabel }),
  }),
  stats: get('/v1/links/:nodeId/stats', {
    summary: 'Opens, sales and joins of one of the caller’s links, day by day.',
    input: {
      params,
      query: z.strictObject({
        range: z
          .strictObject({ from: Timestamp, to: Timestamp })
          .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
            path: ['to'],
            message: 'must be after from',
          })
          .refine(({ from, to }) => Date.parse(to) - Date.parse(from) <= MAX_RANGE_MS, {
            path: ['to'],
            message: 'must be at most 366 days after from',
          })
          .describe(
            'Widened to whole days in UTC; 366 days at most; default the 30 days up to the block read.',
          )
          .optional(),
      }),
    },
    output: LinkStats,
  }),
});
