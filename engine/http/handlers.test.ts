import { describe, expect, expectTypeOf, it } from 'vitest';
import { methods } from '../contract/registry.ts';
import type { LiveName } from '../contract/types.ts';
import { handlers } from './handlers.ts';

describe('the handler table', () => {
  it('contains a handler for every live method, and no other', () => {
    const live = methods.filter(({ availability }) => availability !== 'designed');
    expect(Object.keys(handlers).sort()).toEqual(live.map(({ name }) => name).sort());
  });

  it('compiles only with a handler for every live method', () => {
    expectTypeOf<keyof typeof handlers>().toEqualTypeOf<LiveName>();
    expectTypeOf<'signers.list'>().not.toExtend<LiveName>();
  });
});
