import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { AncestryPage, SalePath } from '../shapes/graph.ts';
import { ChainId, NodeId, pageQuery, SaleId } from '../values.ts';

const page = z.strictObject(pageQuery);

export const graph = {
  forCampaign: defineMethod({
    name: 'graph.forCampaign',
    method: 'GET',
    path: '/v1/campaigns/:campaignId/graph',
    access: 'public',
    availability: 'live',
  }),
  mine: defineMethod({
    name: 'graph.mine',
    method: 'GET',
    path: '/v1/me/graph',
    access: 'session',
    availability: 'live',
  }),
  ancestry: defineMethod({
    name: 'graph.ancestry',
    method: 'GET',
    path: '/v1/nodes/:chainId/:nodeId/ancestry',
    access: 'public',
    availability: 'live',
    summary: 'A node and its ancestors up to the root, nearest first.',
    input: { params: z.strictObject({ chainId: ChainId, nodeId: NodeId }), query: page },
    output: AncestryPage,
  }),
  salePath: defineMethod({
    name: 'graph.salePath',
    method: 'GET',
    path: '/v1/receipts/:chainId/:saleId/path',
    access: 'public',
    availability: 'live',
    summary: 'The path of a sale up to the root, with what each level got.',
    input: { params: z.strictObject({ chainId: ChainId, saleId: SaleId }), query: page },
    output: SalePath,
  }),
  search: defineMethod({
    name: 'graph.search',
    documentedName: null,
    method: 'GET',
    path: '/v1/campaigns/:campaignId/graph/search',
    access: 'public',
    availability: 'live',
  }),
  export: defineMethod({
    name: 'graph.export',
    method: 'POST',
    path: '/v1/graph/exports',
    access: 'session',
    availability: 'designed',
  }),
} as const;
