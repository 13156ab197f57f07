import { afterAll, vi } from 'vitest';

// Files share a process: where one failed before it could restore the time, the next has its own again.
afterAll(() => {
  vi.useRealTimers();
});
