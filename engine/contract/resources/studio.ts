import { z } from 'zod';
import { del, get, post, resource } from '../define.ts';
import { PolicyTemplate, PolicyTemplateInput } from '../shapes/policy-input.ts';
import { SimulationInput, SimulationResult } from '../shapes/simulation.ts';
import { Done, Id, pageOf, pageQuery } from '../values.ts';

const page = z.strictObject(pageQuery);

/** Methods for policies to try and to store. */
export const studio = resource('studio', {
  about: 'Reward policies: templates, and what a policy would pay.',
  caller: 'viewer',
})({
  templates: get('/v1/merchant/policy-templates', {
    summary: 'Policies to start from: the built-in ones first, then the merchant’s own.',
    input: { query: page },
    output: pageOf(PolicyTemplate),
  }),
  saveTemplate: post('/v1/merchant/policy-templates', {
    caller: 'admin',
    summary: 'Stores a policy as a template; at most 100.',
    input: { body: PolicyTemplateInput },
    output: PolicyTemplate,
  }),
  deleteTemplate: del('/v1/merchant/policy-templates/:id', {
    documentedName: null,
    caller: 'admin',
    summary: 'Deletes a template of the merchant; campaigns and drafts that began with it stay.',
    input: { params: z.strictObject({ id: Id }) },
    output: Done,
  }),
  simulate: post('/v1/policies/simulate', {
    caller: 'public',
    summary:
      'The split of a sale for every path length and cap, to the unit, with its rounding; nothing is stored.',
    input: { body: SimulationInput },
    output: SimulationResult,
  }),
});
