import { describe, expect, it } from 'vitest';
import { isReservedHandle } from './reserved-handles.ts';

describe('reserved handles', () => {
  it('reserves handles that could pass for the service', () => {
    for (const handle of [
      'admin',
      'ad-min',
      'support',
      'support-',
      'tributary',
      'the-tributary-1',
    ]) {
      expect(isReservedHandle(handle), handle).toBe(true);
    }
  });

  it('allows ordinary names as handles', () => {
    for (const handle of ['anna', 'admina', 'me-and-you', 'supporter', 'tribute']) {
      expect(isReservedHandle(handle), handle).toBe(false);
    }
  });
});
