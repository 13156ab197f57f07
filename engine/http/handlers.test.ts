import { describe, expect, expectTypeOf, it } from 'vitest';
import { methods } from '../contract/registry.ts';
import type { LiveName } from '../contract/types.ts';
import { handlers } from './handlers.ts';

describe('the handler table', () => {
  it('has every live method: 84 of the specification, and our own', () => {
    const live = methods.filter(({ availability }) => availability === 'live');
    expect(Object.keys(handlers).sort()).toEqual(live.map(({ name }) => name).sort());
    const own = /^(alarms|auth|moderation|system)[.]|^receipts[.]bundle$|^earnings[.]credits$/;
    expect(live.filter(({ name }) => !own.test(name))).toHaveLength(84);
  });

  it('is held to that by the compiler', () => {
    expectTypeOf<keyof typeof handlers>().toEqualTypeOf<LiveName>();
    expectTypeOf<'webhooks.list'>().not.toExtend<LiveName>();
  });
});
