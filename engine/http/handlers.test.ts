import { describe, expect, expectTypeOf, it } from 'vitest';
import { methods } from '../contract/registry.ts';
import type { LiveName } from '../contract/types.ts';
import { handlers } from './handlers.ts';
import { type NotYetBuilt, notYetBuilt } from './not-yet-built.ts';

describe('the handler table', () => {
  it('has every live method, or the list of unbuilt ones has it; never both', () => {
    const live = methods.filter(({ availability }) => availability === 'live');
    const built = Object.keys(handlers);
    expect([...built, ...notYetBuilt].sort()).toEqual(live.map(({ name }) => name).sort());
  });

  it('is held to that by the compiler', () => {
    expectTypeOf<keyof typeof handlers>().toEqualTypeOf<Exclude<LiveName, NotYetBuilt>>();
    expectTypeOf<NotYetBuilt>().toExtend<LiveName>();
    expectTypeOf<'webhooks.list'>().not.toExtend<LiveName>();
  });
});
