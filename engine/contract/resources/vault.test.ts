import { expect, it } from 'vitest';
import { z } from 'zod';
import { methods } from '../registry.ts';
import { vault } from './vault.ts';

const Actions = z.object({
  properties: z.record(z.string(), z.object({ description: z.string().default('') })),
});

it('names the operation that gives the merchant each action of the vault that is null', () => {
  const { actions } = vault.get.output.shape;
  const { properties } = Actions.parse(z.toJSONSchema(actions.unwrap()));
  const names: ReadonlySet<string> = new Set(methods.map(({ name }) => name));
  const operations = Object.entries(properties).map(([action, { description }]) => [
    action,
    (description.match(/operations\.\w+/g) ?? []).filter((name) => names.has(name)),
  ]);
  expect(Object.fromEntries(operations)).toEqual({
    finalize: ['operations.finalize'],
    finalizeSaleIds: [],
    claimProceeds: ['operations.finalize'],
    withdrawSurplus: ['operations.end'],
  });
});
