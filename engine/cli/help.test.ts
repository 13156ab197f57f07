import { describe, expect, it } from 'vitest';
import { similarCommands } from './help.ts';

const names = [
  'start',
  'status',
  'secret',
  'replay',
  'reindex',
  'restore',
  'verify',
  'verify-bundle',
];

describe('commands that an unknown one may mean', () => {
  it.each([
    ['stat', ['status', 'start']],
    ['statsu', ['status']],
    ['verfy', ['verify']],
    ['verify-b', ['verify-bundle', 'verify']],
    ['re', ['replay', 'reindex', 'restore']],
    ['x', []],
    ['delete', []],
  ])('include for %s %j', (word, found) => expect(similarCommands(word, names)).toEqual(found));
});
