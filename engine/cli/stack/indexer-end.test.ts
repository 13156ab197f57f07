import { expect, test } from 'vitest';
import { isConfigurationError } from './indexer-end.ts';

test.each([
  'Schema "indexer_1" was previously used by a different Ponder app. Drop the schema first, or use a different schema.',
  "Validation failed: Invalid length for address '0x12'. Got 4, expected 42 characters.",
  "Unable to create table 's'.'chain_event' because a table with that name already exists.",
  'START_BLOCK is not set: start the indexer with `npm start`.',
])('a configuration error ends the indexer: %s', (reason) => {
  expect(isConfigurationError({ code: 1, signal: null }, reason)).toBe(true);
});

test.each([
  'File execution did not complete (waited 10s)',
  'Unable to fetch "latest" block for chain \'chain\':\nHTTP request failed.',
  'Failed to acquire lock on schema "indexer_1". A different Ponder app is actively using this schema.',
  'Finalized block for chain "1" cannot move backwards',
  'connect ECONNREFUSED 127.0.0.1:5432',
  'ENOSPC: no space left on device, write',
  'an error that was never seen before',
  undefined,
])('every other end with code 1 is worth another try: %s', (reason) => {
  expect(isConfigurationError({ code: 1, signal: null }, reason)).toBe(false);
});

test('a signal and a code that asks for a retry are worth another try, whatever was logged before', () => {
  const reason = 'Validation failed: Invalid chain.';
  expect(isConfigurationError({ code: null, signal: 'SIGKILL' }, reason)).toBe(false);
  expect(isConfigurationError({ code: 75, signal: null }, reason)).toBe(false);
});

test('our own refusal ends the indexer', () => {
  expect(isConfigurationError({ code: 78, signal: null }, undefined)).toBe(true);
});
