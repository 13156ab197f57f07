import { defineMethod } from '../define.ts';

export const links = {
  mine: defineMethod({
    name: 'links.mine',
    documentedName: null,
    method: 'GET',
    path: '/v1/me/links',
    access: 'session',
    availability: 'live',
  }),
  get: defineMethod({
    name: 'links.get',
    documentedName: null,
    method: 'GET',
    path: '/v1/links/:nodeId',
    access: 'public',
    availability: 'live',
  }),
  joinPreview: defineMethod({
    name: 'links.joinPreview',
    documentedName: null,
    method: 'GET',
    path: '/v1/campaigns/:campaignId/join-preview',
    access: 'session',
    availability: 'live',
  }),
  stats: defineMethod({
    name: 'links.stats',
    documentedName: null,
    method: 'GET',
    path: '/v1/links/:nodeId/stats',
    access: 'session',
    availability: 'live',
  }),
} as const;
