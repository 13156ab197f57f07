import { expect, it } from 'vitest';
import { actionWords, resourceWords } from './audit-words.ts';

it('writes methods and what they changed in words, and shortens random ids', () => {
  expect(actionWords('campaigns.saveDraft')).toBe('Campaigns: save draft');
  expect(actionWords('apiKeys.create')).toBe('Api keys: create');
  expect(resourceWords('draft:gift-cards')).toBe('draft gift-cards');
  expect(resourceWords('product:single-origin-subscription')).toBe(
    'product single-origin-subscription',
  );
  expect(resourceWords('disputeMessage:iZw7uxLd2YuB61uCNjB0pg')).toBe('dispute message iZw7ux…');
});
