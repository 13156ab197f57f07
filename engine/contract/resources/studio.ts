import { z } from 'zod';
import { defineMethod } from '../define.ts';
import { PolicyTemplate, PolicyTemplateInput } from '../shapes/policy-input.ts';
import { SimulationInput, SimulationResult } from '../shapes/simulation.ts';
import { Done, Id, pageOf, pageQuery } from '../values.ts';

const page = z.strictObject(pageQuery);

/** Methods for policies to try and to store. */
export const studio = {
  templates: defineMethod({
    name: 'studio.templates',
    method: 'GET',
    path: '/v1/merchant/policy-templates',
    access: 'session',
    caller: 'viewer',
    availability: 'live',
    summary: 'Policies to start from: the built-in ones first, then the merchant’s own.',
    input: { query: page },
    output: pageOf(PolicyTemplate),
  }),
  saveTemplate: defineMethod({
    name: 'studio.saveTemplate',
    method: 'POST',
    path: '/v1/merchant/policy-templates',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Stores a policy as a template; at most 100.',
    input: { body: PolicyTemplateInput },
    output: PolicyTemplate,
  }),
  deleteTemplate: defineMethod({
    name: 'studio.deleteTemplate',
    documentedName: null,
    method: 'DELETE',
    path: '/v1/merchant/policy-templates/:id',
    access: 'session',
    caller: 'admin',
    availability: 'live',
    summary: 'Deletes a template of the merchant; campaigns and drafts that began with it stay.',
    input: { params: z.strictObject({ id: Id }) },
    output: Done,
  }),
  simulate: defineMethod({
    name: 'studio.simulate',
    method: 'POST',
    path: '/v1/policies/simulate',
    access: 'public',
    availability: 'live',
    summary:
      'The split of a sale for every path length and cap, to the unit, with its rounding; nothing is stored.',
    input: { body: SimulationInput },
    output: SimulationResult,
  }),
} as const;
