import { defineMethod } from '../define.ts';

export const studio = {
  templates: defineMethod({
    name: 'studio.templates',
    method: 'GET',
    path: '/v1/merchant/policy-templates',
    access: 'session',
    availability: 'live',
  }),
  saveTemplate: defineMethod({
    name: 'studio.saveTemplate',
    method: 'POST',
    path: '/v1/merchant/policy-templates',
    access: 'session',
    availability: 'live',
  }),
  simulate: defineMethod({
    name: 'studio.simulate',
    method: 'POST',
    path: '/v1/policies/simulate',
    access: 'public',
    availability: 'live',
  }),
} as const;
