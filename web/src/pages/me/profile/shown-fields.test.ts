import { expect, it } from 'vitest';
import { shownFields } from './shown-fields.ts';

const named = { handle: 'north-wind', displayName: 'North Wind' };

it('links a public handle to the address', () => {
  expect(shownFields({ ...named, visibility: 'public' })).toEqual({
    byHandle: { heading: 'North Wind', record: true },
    byAddress: 'North Wind',
  });
});

it('links nothing to the address of a pseudonymous handle', () => {
  expect(shownFields({ ...named, displayName: ' ', visibility: 'pseudonymous' })).toEqual({
    byHandle: { heading: 'north-wind', record: false },
    byAddress: undefined,
  });
});

it('leaves out the page of a handle that does not exist', () => {
  expect(shownFields({ handle: '', displayName: '', visibility: 'public' })).toEqual({
    byHandle: undefined,
    byAddress: undefined,
  });
});
