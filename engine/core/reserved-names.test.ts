import { describe, expect, it } from 'vitest';
import { isReservedName } from './reserved-names.ts';

describe('reserved names', () => {
  it('reserves names that could pass for the service', () => {
    for (const handle of [
      'admin',
      'ad-min',
      'support',
      'support-',
      'tributary',
      'the-tributary-1',
      'Support!',
      'Ｔributary Help',
    ]) {
      expect(isReservedName(handle), handle).toBe(true);
    }
  });

  it('allows ordinary names', () => {
    for (const handle of ['anna', 'admina', 'me-and-you', 'supporter', 'tribute', 'Sales & Sons']) {
      expect(isReservedName(handle), handle).toBe(false);
    }
  });
});
