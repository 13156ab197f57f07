import { z } from 'zod';
import { designed, get, resource } from '../define.ts';
import { AncestryPage, CampaignGraph, GraphMatches, OwnGraph, SalePath } from '../shapes/graph.ts';
import { AtBlock, CampaignId, ChainId, NodeId, pageQuery, SaleId } from '../values.ts';

const page = z.strictObject(pageQuery);

/** Methods for the referral graph. */
export const graph = resource('graph', {
  about: 'The referral graph of a campaign.',
  caller: 'public',
})({
  forCampaign: get('/v1/campaigns/:campaignId/graph', {
    serving: { cached: true },
    summary: 'The referral graph of a campaign, level by level, from all roots or from one node.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: z.strictObject({
        ...pageQuery,
        root: NodeId.describe('Node to begin at; omit for all roots.').optional(),
        depthMax: z
          .int()
          .min(1)
          .max(100)
          .describe('Number of levels to read, including that of the root, 1 to 100; default 5.')
          .optional(),
      }),
    },
    output: CampaignGraph,
  }),
  mine: get('/v1/me/graph', {
    caller: 'account',
    summary: 'The caller’s nodes and those under them, level by level.',
    input: {
      query: z.strictObject({
        ...pageQuery,
        campaignId: CampaignId.describe('Only this campaign.').optional(),
        depthMax: z
          .int()
          .min(1)
          .max(100)
          .describe('Levels to read, including that of the caller’s nodes, 1 to 100; default 5.')
          .optional(),
      }),
    },
    output: OwnGraph,
  }),
  ancestry: get('/v1/nodes/:chainId/:nodeId/ancestry', {
    summary: 'A node and its ancestors up to the root, nearest first.',
    input: {
      params: z.strictObject({ chainId: ChainId, nodeId: NodeId }),
      query: page.extend({ atBlock: AtBlock.optional() }),
    },
    output: AncestryPage,
  }),
  salePath: get('/v1/receipts/:chainId/:saleId/path', {
    summary: 'The path of a sale up to the root, with what each level got.',
    input: { params: z.strictObject({ chainId: ChainId, saleId: SaleId }), query: page },
    output: SalePath,
  }),
  search: get('/v1/campaigns/:campaignId/graph/search', {
    documentedName: null,
    summary: 'Nodes of a campaign by id, by referral code, or by the beginning of their owner.',
    input: {
      params: z.strictObject({ campaignId: CampaignId }),
      query: z.strictObject({
        ...pageQuery,
        q: z
          .string()
          .regex(
            /^(?:0[xX][0-9a-fA-F]{1,40}|0|0[0-9A-WYZa-wyz-][0-9A-Za-z-]{0,30}|[1-9A-Za-z-][0-9A-Za-z-]{0,31})$/,
            'must be a node id, a referral code, or 0x and 1 to 40 hex digits',
          )
          .describe('A node id, a referral code, or the beginning of an owner’s address, 0x….'),
      }),
    },
    output: GraphMatches,
  }),
  export: designed('POST /v1/graph/exports', 'Orders a file of a campaign’s graph.', {
    caller: 'account',
  }),
});
