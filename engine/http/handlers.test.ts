import { describe, expect, expectTypeOf, it } from 'vitest';
import { methods } from '../contract/registry.ts';
import type { LiveName, MethodOf } from '../contract/types.ts';
import { handlers } from './handlers.ts';
import type * as routes from './routes/index.ts';

/** Names of the handlers of a table, as the registry has them. */
type NamesIn<T> = {
  [R in keyof T & string]: { [K in keyof T[R] & string]: `${R}.${K}` }[keyof T[R] & string];
}[keyof T & string];

describe('the handler table', () => {
  it('contains a handler for every live method, and no other', () => {
    const live = methods.filter(({ availability }) => availability !== 'designed');
    const names = Object.entries(handlers).flatMap(([resource, group]) =>
      Object.keys(group).map((key) => `${resource}.${key}`),
    );
    expect(names.sort()).toEqual(live.map(({ name }) => name).sort());
  });

  it('compiles only with a handler for every live method', () => {
    expectTypeOf<NamesIn<typeof handlers>>().toEqualTypeOf<LiveName>();
    expectTypeOf<NamesIn<typeof routes>>().toEqualTypeOf<LiveName>();
    expectTypeOf<Omit<typeof routes, 'tokens'>>().not.toExtend<typeof handlers>();
    expectTypeOf<MethodOf<'tokens.list'>['availability']>().toEqualTypeOf<'live'>();
    expectTypeOf<'signers.list'>().not.toExtend<LiveName>();
  });
});
