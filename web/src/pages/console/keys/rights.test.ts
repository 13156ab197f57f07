import { describe, expect, it } from 'vitest';
import { methods } from '../../../../../engine/contract/registry.ts';
import { scopeOf } from '../../../../../engine/contract/scopes.ts';
import { groupedRights, presetOf, presets } from './rights.ts';

const scopes = [
  ...new Set(
    methods
      .filter(({ availability }) => availability !== 'designed')
      .flatMap((method) => scopeOf(method) ?? []),
  ),
];

describe('the rights of an API key', () => {
  it('explain each right of the API once, and no other', () => {
    const groups = groupedRights(scopes);
    const shown = groups.flatMap(({ rights }) => rights.map(({ scope }) => scope));
    expect([...shown].sort()).toEqual([...scopes].sort());
    expect(groups.map(({ title }) => title)).not.toContain('Others');
  });

  it('show a right without a sentence in plain words', () => {
    expect(groupedRights(['giftCards.read', 'giftCards.write'])).toEqual([
      {
        title: 'Others',
        rights: [
          { scope: 'giftCards.read', text: 'See gift cards' },
          { scope: 'giftCards.write', text: 'Change gift cards' },
        ],
      },
    ]);
  });

  it('include presets that differ, and that are recognized again', () => {
    for (const { id, includes } of presets) {
      const chosen = scopes.filter(includes);
      expect(chosen.length, id).toBeGreaterThan(3);
      expect(presetOf(chosen, scopes)).toBe(id);
    }
    expect(presetOf(['orders.read'], scopes)).toBeUndefined();
  });

  it('lets a key that only reads change nothing', () => {
    const read = presets.find(({ id }) => id === 'read');
    expect(scopes.filter((scope) => read?.includes(scope)).join(' ')).not.toContain('.write');
  });
});
